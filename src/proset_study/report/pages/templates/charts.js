const LETTER = 7, MARK = 30; // pixels of a legend's letters, and of a mark with its margins
const PANEL = 300; // pixels that a panel needs next to others
const LOOK = { axis: { labelSeparation: 6 }, legend: { labelLimit: 0 } };

// How many columns of a legend fit into a width.
const columnsOf = (names, most, width) => {
  const entries = names.map((name) => MARK + LETTER * String(name).length);
  for (let n = Math.min(most, names.length); n > 1; n--) {
    const widest = entries.slice(0, n).map((_, column) => Math.max(...entries.filter((_, i) => i % n === column)));
    if (widest.reduce((a, b) => a + b, 0) <= width) return n;
  }
  return 1;
};

// Of a specification what has rows: legends name only the methods that are drawn, and layers without numbers are left out.
const trimmed = (spec, rows, width) => {
  const methods = new Set(rows.map((row) => row.method));
  const axis = LETTER * Math.max(8, ...rows.map((row) => String(row[spec.usermeta?.rows[0]] ?? "").length));
  const room = spec.concat ? PANEL : width - axis;
  const known = ({ field }) => !field || rows.some((row) => row[field] !== null && row[field] !== undefined);
  return JSON.parse(JSON.stringify(spec), (key, value) => {
    if (key === "layer") {
      return value.filter(({ encoding = {} }) => ["x", "x2", "y", "y2"].every((name) => known(encoding[name] ?? {})));
    }
    if (value?.legend?.orient === "top" && value.scale?.domain) {
      const columns = columnsOf(value.scale.domain, value.legend.columns ?? value.scale.domain.length, room);
      return { ...value, legend: { ...value.legend, columns } };
    }
    if (key !== "scale" || !value?.domain || !value.range) return value;
    const kept = value.domain.map((name, i) => [name, value.range[i]]).filter(([name]) => methods.has(name));
    return kept.length ? { ...value, domain: kept.map(([name]) => name), range: kept.map(([, look]) => look) } : value;
  });
};

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
  const keys = Object.keys(columns);
  const value = (key, i) => (columns[key].texts ? columns[key].texts[columns[key].places[i]] : columns[key][i]);
  const all = [...(columns[keys[0]].places ?? columns[keys[0]]).keys()];
  const canvas = form.querySelector(".canvas");
  const rowsOf = () => {
    const chosen = new FormData(form);
    let places = all;
    for (const name of new Set([...form.elements].map((e) => e.name).filter((n) => n in columns))) {
      const values = chosen.getAll(name);
      if (!(values.length === 1 && values[0] === "")) places = places.filter((i) => values.includes(String(value(name, i))));
    }
    const rows = places.map((i) => Object.fromEntries(keys.map((key) => [key, value(key, i)])));
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
    if (!rows.length) {
      canvas.textContent = "There are no numbers for this choice.";
      form.dataset.drawn = 0;
      return;
    }
    await loaded();
    const drawn = { ...trimmed(spec, rows, canvas.clientWidth), datasets: { rows } };
    await vegaEmbed(canvas, drawn, { actions: false, renderer: "svg", ast: false, config: LOOK });
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
