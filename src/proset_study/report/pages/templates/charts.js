const LETTER = 7, MARK = 30; // pixels of a legend's letters, and of a mark with its margins

// Of a specification what has rows: legends name only the methods that are drawn, and layers without numbers are left out.
const trimmed = (spec, rows, width) => {
  const methods = new Set(rows.map((row) => row.method));
  const entry = MARK + LETTER * Math.max(0, ...[...methods].map((name) => String(name ?? "").length));
  const known = ({ field }) => !field || rows.some((row) => row[field] !== null && row[field] !== undefined);
  return JSON.parse(JSON.stringify(spec), (key, value) => {
    if (key === "layer") {
      return value.filter(({ encoding = {} }) => ["x", "x2", "y", "y2"].every((name) => known(encoding[name] ?? {})));
    }
    if (key === "legend" && value?.columns) {
      return { ...value, columns: Math.max(1, Math.min(value.columns, Math.floor(width / entry))) };
    }
    if (key !== "scale" || !value?.domain || !value.range) return value;
    const kept = value.domain.map((name, i) => [name, value.range[i]]).filter(([name]) => methods.has(name));
    return kept.length ? { ...value, domain: kept.map(([name]) => name), range: kept.map(([, look]) => look) } : value;
  });
};

const PANEL = 300; // pixels that a panel needs next to others

const run = (src) => new Promise((resolve, reject) => {
  document.head.append(Object.assign(document.createElement("script"), { src, onload: resolve, onerror: reject }));
});

// Vega-Lite is in a file next to the page, packed; the first chart near the window loads it.
let library;
const loaded = () => library ??= (async () => {
  await run("vega.js").catch(() => { throw new Error("charts need vega.js next to this page; it is missing or not readable"); });
  const packed = await fetch(`data:application/gzip;base64,${VEGA}`);
  const text = await new Response(packed.body.pipeThrough(new DecompressionStream("gzip"))).blob();
  await run(URL.createObjectURL(text));
  await new Promise((resolve) => setTimeout(resolve));  // a click need not wait for both library and chart
})();

// Charts: the rows that the controls of a form choose.
const chartOf = (form) => {
  const { specs, columns, shown } = JSON.parse(form.querySelector("script").textContent);
  for (const [key, { texts, places }] of Object.entries(columns)) if (texts) columns[key] = places.map((i) => texts[i]);
  const keys = Object.keys(columns);
  const all = columns[keys[0]].map((_, i) => Object.fromEntries(keys.map((key) => [key, columns[key][i]])));
  const canvas = form.querySelector(".canvas");
  const rowsOf = () => {
    const chosen = new FormData(form);
    let rows = all;
    for (const name of new Set([...form.elements].map((e) => e.name).filter((n) => n in columns))) {
      const values = chosen.getAll(name);
      if (!(values.length === 1 && values[0] === "")) rows = rows.filter((row) => values.includes(String(row[name])));
    }
    const highlight = chosen.get("highlight");
    const place = (row, i) => (chosen.get("sort") ? row[chosen.get("sort")] : i);
    return rows.map((row, i) => ({ ...row, place: place(row, i), on: !highlight || row.method === highlight }));
  };
  const draw = async () => {
    const rows = rowsOf();
    const { hconcat, ...spec } = specs[rows[0]?.spec ?? ""] ?? Object.values(specs)[0];
    if (hconcat) Object.assign(spec, { concat: hconcat, columns: Math.max(1, Math.floor(canvas.clientWidth / PANEL)) });
    if (spec.usermeta) {  // a height by what is shown; Vega-Lite's own steps do not go with the width of the page
      const counts = spec.usermeta.rows.map((key) => new Set(rows.map((row) => row[key])).size);
      spec.height = Math.max(60, spec.usermeta.step * counts.reduce((a, b) => a * b, 1));
    }
    const numbers = form.querySelector(".numbers");
    if (numbers.open) fill(numbers.querySelector(".wide"), rows.map((row) => Object.keys(shown).map((key) => row[key])), Object.values(shown));
    await loaded();
    await vegaEmbed(canvas, { ...trimmed(spec, rows, canvas.clientWidth), datasets: { rows } }, { actions: false, renderer: "svg", ast: false });
    form.dataset.drawn = rows.length;
  };
  form.addEventListener("input", draw);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.querySelector(".numbers").addEventListener("toggle", draw);
  const choose = () => {  // the hash may name a data set
    const named = decodeURIComponent(location.hash.slice(1));
    for (const select of form.querySelectorAll("select")) {
      const found = [...select.options].find((option) => named && option.value.startsWith(`${named}:`));
      if (found) select.value = found.value;
    }
  };
  addEventListener("hashchange", () => { choose(); draw(); });
  choose();
  return draw;
};

for (const form of document.querySelectorAll("form.chart")) {
  const seen = new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) { seen.disconnect(); chartOf(form)(); }
  });
  seen.observe(form.querySelector(".canvas"));  // not its controls, which may fill a small screen
}
