// Sorting, folds that open by their hash, wide boxes and ledgers. Everything is readable without it.

{% include "sort.js" %}

// A hash opens the folds around its target.
const unfold = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  if (target.tagName === "DETAILS") target.open = true;
  target.scrollIntoView();
};
addEventListener("hashchange", unfold);
addEventListener("click", ({ target }) => { if (location.hash && target.closest("a[href^='#']")?.hash === location.hash) unfold(); }); // no change
if (location.hash) unfold();

// The edge of a box says that there is more to its right; pictures get a box, which keys reach where it is moved.
const edge = (box) => {
  box.classList.toggle("more", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
  if (box.matches("figure *")) box.tabIndex = box.scrollWidth > box.clientWidth + 1 ? 0 : -1;
};
for (const image of document.querySelectorAll("figure > img")) {
  if (image.closest(".first")) continue;
  const box = document.createElement("div");
  const title = image.parentElement.querySelector("figcaption b");
  box.className = "wide";
  box.style.setProperty("--width", image.getAttribute("width"));
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", `Figure: ${title ? title.textContent : image.alt}`);
  image.replaceWith(box);
  box.append(image);
}
const resized = new ResizeObserver((entries) => entries.forEach(({ target }) => edge(target)));
for (const box of document.querySelectorAll(".wide")) {
  resized.observe(box);
  box.addEventListener("scroll", () => edge(box), { passive: true });
}

const fill = (element, rows, headings) => {
  const table = document.createElement("table");
  const isText = headings.map((_, i) => rows.some((row) => row[i] && !/^[-−+\d]/.test(row[i])));
  const line = (parent, cells, scope) => {
    const row = parent.insertRow();
    cells.forEach((text, i) => {
      const cell = document.createElement(scope === "col" || i === 0 ? "th" : "td");
      if (cell.tagName === "TH") cell.scope = scope;
      if (isText[i]) cell.className = String(text).length > 40 ? "prose" : "text";
      cell.textContent = text ?? "";
      row.append(cell);
    });
  };
  line(table.createTHead(), headings, "col");
  const body = table.createTBody();
  rows.forEach((cells) => line(body, cells, "row"));
  element.replaceChildren(table);
  edge(element);
};

// A ledger: all rows as columns of JSON, of which the first that match its controls are shown.
const SHOWN = 25;
for (const ledger of document.querySelectorAll(".ledger")) {
  const { headings, rows, filters } = JSON.parse(ledger.querySelector("script").textContent);
  const place = ledger.querySelector(".wide");
  const said = ledger.querySelector("output");
  const more = ledger.querySelector("button");
  let limit = SHOWN;
  const show = () => {
    const words = ledger.querySelector("input").value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = [...ledger.querySelectorAll("select")].map((select) => [filters[select.name], select.value]);
    const found = rows.filter((row) => {
      const text = row.join(" ").toLowerCase();
      return wanted.every(([i, value]) => value === "" || row[i] === value) && words.every((word) => text.includes(word));
    });
    fill(place, found.slice(0, limit), headings);
    said.textContent = `${found.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")} rows match, ${Math.min(limit, found.length)} are shown`;
    more.hidden = found.length <= limit;
  };
  ledger.addEventListener("input", () => { limit = SHOWN; show(); });
  more.addEventListener("click", () => { limit *= 4; show(); });
  show();
}
