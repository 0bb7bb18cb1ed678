// The explorer: what is chosen is in the address after "#", so that it can be linked to.
const FIRST = { report: "open_track", measure: "log_loss", data_set: "digits", method: "", replicate: "mean", text: "", sort: "value", order: "up" };
const COLUMNS = ["data_set", "method", "value", "deviation", "replicates", "report", "experiment", "variant", "kind"];
const TITLES = { data_set: "data set", deviation: "standard deviation" };
const NUMBERS = ["value", "deviation", "replicates"];
const SHOWN = 100;
const WIDEST = 3; // medians: longer bars are cut, so that one bad score does not hide the others
const form = document.getElementById("choose");
const [table, more] = [document.getElementById("scores"), document.getElementById("more")];
let state = { ...FIRST };
let all = false;

const options = (name, list) => form.elements[name].replaceChildren(...list.map(([value, text]) => new Option(text, value)));
const plain = (name) => name.replaceAll("_", " ");
options("report", [["", "all"], ...COMPARE.reports.map((name) => [name, plain(name)])]);
options("measure", COMPARE.measures.map(([key, title]) => [key, title]));
options("data_set", [["", "all"], ["real", "all real ones"], ["generated", "all generated ones"], ...COMPARE.data_sets.map(([name]) => [name, name])]);
options("method", [["", "all"], ...[...new Set(COMPARE.methods)].sort().map((name) => [name, name])]);
const n_replicates = 1 + COMPARE.rows.reduce((most, row) => Math.max(most, ...row[5].flatMap((values) => Object.keys(values).map(Number))), 0);
options("replicate", [["mean", "mean of all"], ...Array.from({ length: n_replicates }, (_, i) => [String(i), String(i)])]);

// One row of the table for each model that has the measure.
function rows() {
  const place = COMPARE.measures.findIndex(([key]) => key === state.measure);
  const words = state.text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [];
  for (const [r, d, m, e, variant, measured] of COMPARE.rows) {
    const [[data_set, kind], [experiment, title]] = [COMPARE.data_sets[d], COMPARE.experiments[e]];
    const [report, method] = [COMPARE.reports[r], COMPARE.methods[m]];
    if (state.report && state.report !== report) continue;
    if (state.data_set && state.data_set !== data_set && state.data_set !== kind) continue;
    if (state.method && state.method !== method) continue;
    const all_values = Object.values(measured[place]);
    const values = state.replicate === "mean" ? all_values : [measured[place][state.replicate]].filter((v) => v !== undefined);
    if (!values.length) continue;
    const value = values.reduce((a, b) => a + b, 0) / values.length;
    const deviation = values.length > 1 ? Math.sqrt(values.reduce((sum, v) => sum + (v - value) ** 2, 0) / (values.length - 1)) : null;
    // Numbered experiments are known by their numbers, others by what they are.
    const label = /^[A-Z]\d+$/.test(experiment) ? `${experiment}: ${title}` : title;
    const row = { data_set, kind, method, report: plain(report), experiment, title, label, variant, value, deviation, replicates: values.length };
    if (words.every((word) => [data_set, kind, method, row.report, experiment, title, variant].join(" ").toLowerCase().includes(word))) found.push(row);
  }
  const sign = state.order === "up" ? 1 : -1;
  const missing = (value) => Number(value === null);  // last, whatever the order
  const order = (a, b) => typeof a === "string" ? sign * a.localeCompare(b) : missing(a) - missing(b) || sign * (a - b);
  const key = state.sort === "experiment" ? "label" : state.sort;
  return found.sort((a, b) => order(a[key], b[key]));
}

const written = (value) => typeof value !== "number" ? value ?? "" : Number.isInteger(value) ? value.toLocaleString("en") : Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 0.01 ? value.toFixed(3) : value.toPrecision(2);

function show() {
  for (const name of ["report", "measure", "data_set", "method", "replicate", "text"]) form.elements[name].value = state[name];
  const found = rows();
  const most = Math.max(...found.map((row) => row.replicates));
  const values = found.map((row) => row.value).sort((a, b) => a - b);
  const largest = Math.min(values.at(-1), WIDEST * values[Math.floor(values.length / 2)]) || values.at(-1) || 1;
  const shown = COLUMNS.filter((name) => name !== "variant" || found.some((row) => row.variant));
  shown.splice(3, 0, ""); // a bar of the value
  table.tHead.rows[0].replaceChildren(...shown.map((name) => {
    const head = document.createElement("th");
    head.scope = "col";
    head.textContent = name === "value" ? COMPARE.measures.find(([key]) => key === state.measure)[1] : TITLES[name] ?? name;
    if (!name) { head.className = "bar"; head.innerHTML = `<span class="soft">0 to ${written(largest)}</span>`; return head; }
    head.className = "sortable" + (NUMBERS.includes(name) ? " number" : "");
    head.tabIndex = 0;
    if (state.sort === name) head.setAttribute("aria-sort", state.order === "up" ? "ascending" : "descending");
    const sort = () => set({ sort: name, order: state.sort === name && state.order === "up" ? "down" : "up" });
    head.addEventListener("click", sort);
    head.addEventListener("keydown", (event) => { if (event.key === "Enter") { sort(); table.tHead.rows[0].cells[shown.indexOf(name)].focus(); } });
    return head;
  }));
  table.tBodies[0].replaceChildren(...found.slice(0, all ? undefined : SHOWN).map((row) => {
    const line = document.createElement("tr");
    for (const name of shown) {
      const cell = document.createElement("td");
      if (!name) {
        const bar = document.createElement("i");
        bar.style.width = `${Math.min(100, Math.max(0.5, 100 * row.value / largest))}%`;
        if (row.value > largest) bar.className = "cut";
        cell.append(bar);
        cell.className = "bar";
        line.append(cell);
        continue;
      }
      cell.textContent = name === "experiment" ? row.label : written(row[name]);
      if (name === "experiment") { cell.title = row.experiment; cell.className = "prose"; }
      if (NUMBERS.includes(name)) cell.className = "number";
      if (NUMBERS.includes(name) && row.replicates < most) cell.classList.add("soft");
      line.append(cell);
    }
    return line;
  }));
  more.hidden = all || found.length <= SHOWN;
  more.textContent = `Show all ${found.length.toLocaleString("en")}`;
  const better = COMPARE.measures.find(([key]) => key === state.measure)[2] ? "higher is better" : "lower is better";
  const fewer = found.some((row) => row.replicates < most) ? "; grey: fewer replicates than others here" : "";
  document.getElementById("count").textContent = `${found.length.toLocaleString("en")} rows; ${better}${fewer}.`;
  table.dataset.rows = found.length;
}

function set(change) {
  state = { ...state, ...change };
  const changed = Object.entries(state).filter(([key, value]) => value !== FIRST[key]);
  history.replaceState(null, "", changed.length ? `#${new URLSearchParams(changed)}` : location.pathname + location.search);
  show();
}

function read() {
  state = { ...FIRST };
  for (const [key, value] of new URLSearchParams(location.hash.slice(1))) if (key in FIRST) state[key] = value;
  if (!COLUMNS.includes(state.sort)) state.sort = FIRST.sort;
  for (const { name, options } of form.querySelectorAll("select")) if (![...options].some(({ value }) => value === state[name])) state[name] = FIRST[name];
  show();
}

form.addEventListener("input", (event) => { all = false; set({ [event.target.name]: event.target.value }); });
form.addEventListener("submit", (event) => event.preventDefault());
more.addEventListener("click", () => { all = true; show(); });
addEventListener("hashchange", read);
document.getElementById("download").addEventListener("click", () => {
  const quoted = (value) => /[",\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : value ?? "";
  const chosen = { measure: state.measure, replicate: state.replicate };
  const names = [...COLUMNS, ...Object.keys(chosen)];
  const lines = rows().map((row) => names.map((name) => quoted(chosen[name] ?? row[name])).join(","));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([[names.join(","), ...lines, ""].join("\n")], { type: "text/csv" }));
  link.download = "scores.csv";
  link.click();
});
read();
