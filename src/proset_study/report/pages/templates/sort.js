// A heading sorts its table; numbers by value (data-value if the text is formatted), the rest as text.
for (const table of document.querySelectorAll("table.sort")) {
  const heads = [...table.querySelectorAll("thead tr:last-child th")];
  heads.forEach((head, column) => {
    head.classList.add("sortable");
    head.tabIndex = heads.length < 13 || !column ? 0 : -1;  // of many headings one stop; arrows reach the others
    const sort = () => {
      const falling = head.getAttribute("aria-sort") === "ascending";
      const text = (row) => row.cells[column].textContent.trim().replace("−", "-").replaceAll(",", "").replace(/^n\/a$/, "");
      const key = (row) => row.cells[column].dataset.value ?? text(row);
      const compare = (a, b) => {
        const [x, y] = [key(a), key(b)];
        const [m, n] = [parseFloat(x), parseFloat(y)];
        if (x === "" || y === "") return (x === "") - (y === "");
        const order = Number.isNaN(m) || Number.isNaN(n) ? x.localeCompare(y) : m - n;
        return falling ? -order : order;
      };
      const body = table.tBodies[0];
      [...body.rows].sort(compare).forEach((row) => body.append(row));
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", falling ? "descending" : "ascending");
    };
    head.addEventListener("click", sort);
    head.addEventListener("keydown", (event) => {
      const next = heads[column + { ArrowLeft: -1, ArrowRight: 1 }[event.key]];
      if (event.key === "Enter") sort();
      if (next) { event.preventDefault(); next.focus(); }
    });
  });
}
