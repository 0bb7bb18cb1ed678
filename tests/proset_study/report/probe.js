// What a browser finds in a page, left in the title of a copy of it.
const errors = [];
window.addEventListener("error", (event) => errors.push(event.message));
console.error = (...all) => errors.push(all.join(" "));
window.addEventListener("load", () => {
  const width = () => document.documentElement.scrollWidth;
  const found = { errors, width: width(), inner: window.innerWidth };
  found.images = [...document.images].every((image) => image.src.startsWith("data:image/webp;base64,"));
  const resources = performance.getEntriesByType("resource").map((entry) => entry.name);
  found.requests = resources.filter((name) => !name.startsWith("data:"));
  found.font = parseFloat(getComputedStyle(document.body).fontSize);
  document.querySelectorAll("details").forEach((details) => { details.open = true; });
  found.open_width = width();

  const table = document.querySelector("table.sort");
  const head = table.querySelectorAll("thead th")[COLUMN];
  const value = (cell) => cell.dataset.value ?? cell.textContent;
  const values = () => [...table.tBodies[0].rows].map((row) => value(row.cells[COLUMN]));
  head.click();
  found.rising = values();
  head.click();
  found.falling = values();

  const select = document.querySelector("select[data-filter=statements]");
  if (select) {
    select.value = "holds";
    select.dispatchEvent(new Event("change"));
    const rows = [...document.querySelectorAll("#statements tbody tr")];
    found.shown = rows.filter((row) => !row.hidden).map((row) => row.dataset.kind);
  }
  document.title = "PROBE" + JSON.stringify(found) + "PROBE";
});
