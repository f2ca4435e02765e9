// The report's browser of samples. Records are in the page, or come from `weft serve`.
import { LineLinks, lineOf, mark, showCode } from "./code.js";

const element = (id) => document.getElementById(id);
const embedded = element("data") ? JSON.parse(element("data").textContent) : null;
const PAGE_ROWS = 50;
const VIEWS = [
  { title: "CUDA forward", texts: ["cuda_helpers", "cuda_forward"] },
  { title: "CUDA backward", texts: ["cuda_backward"] },
  { title: "Readable CUDA", texts: ["cuda_readable"] },
  { title: "C++", texts: ["cpp_helpers", "cpp_forward", "cpp_backward"] },
];
const SIGNS = { pass: "gradient right", mismatch: "gradient wrong", no_gradient: "no gradient", unchecked: "not checked" };

// ---- rows and records ----

const filters = () => ({
  q: element("words").value.trim().toLowerCase(),
  category: element("category").value,
  gradient: element("gradient").value,
  difficulty: element("difficulty").value,
  split: element("split").value,
});

function embeddedRows(wanted, from) {
  const rows = embedded.rows.filter(
    (row) =>
      ["category", "gradient", "difficulty", "split"].every((name) => !wanted[name] || row[name] === wanted[name]) &&
      (!wanted.q || `${row.name}\n${row.description}`.toLowerCase().includes(wanted.q)),
  );
  return { rows: rows.slice(from, from + PAGE_ROWS), found: rows.length };
}

async function findRows(from) {
  const wanted = filters();
  if (embedded) return embeddedRows(wanted, from);
  const answer = await fetch(`list?${new URLSearchParams({ ...wanted, from, limit: PAGE_ROWS })}`);
  return answer.ok ? answer.json() : { rows: [], found: 0, why: (await answer.text()).trim() };
}

async function readRecord(n) {
  if (embedded) return embedded.records[embedded.rows.findIndex((row) => row.n === n)];
  return (await fetch(`record?n=${n}`)).json();
}

// ---- the list ----

let from = 0;
let asked = 0;

function rowItem(row) {
  const item = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  const name = document.createElement("strong");
  name.textContent = row.name;
  const facts = document.createElement("span");
  facts.textContent = `${row.category.replaceAll("_", " ")} · ${row.source_lines} lines`;
  const sign = document.createElement("span");
  sign.className = `sign ${row.gradient}`;
  sign.textContent = SIGNS[row.gradient];
  button.append(name, facts, sign);
  button.onclick = () => showRecord(row, button);
  item.append(button);
  return item;
}

async function showList() {
  const start = performance.now();
  const number = ++asked;
  const { rows, found, why } = await findRows(from);
  if (number !== asked) return; // another question came meanwhile
  element("list").replaceChildren(...rows.map(rowItem));
  element("found").textContent = found
    ? `${from + 1} to ${from + rows.length} of ${found}`
    : (why ?? "Nothing matches.");
  element("before").disabled = from === 0;
  element("after").disabled = from + rows.length >= found;
  document.documentElement.dataset.listMs = (performance.now() - start).toFixed(1);
  document.documentElement.dataset.lists = number;
}

// ---- one record, side by side ----

function add(parent, name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

function textOf(record, view) {
  const pairs = [];
  let text = "";
  for (const name of view.texts) {
    const offset = text.split("\n").length - 1;
    for (const entry of record.line_map)
      if (entry.text === name) pairs.push([entry.python_line, entry.first_line + offset, entry.last_line + offset]);
    text += record[name] ?? "";
  }
  return { text, pairs };
}

function connect(left, right, links) {
  const { source, text } = links;
  const clear = () => {
    mark(source, []);
    mark(text, []);
  };
  left.onmousemove = (event) => {
    const line = lineOf(event);
    const found = links.map.ofSource(line);
    mark(source, found.length ? [line] : []);
    mark(text, found);
    if (found.length) reveal(right, text[found[0] - 1]);
  };
  right.onmousemove = (event) => {
    const lines = links.map.ofText(lineOf(event));
    mark(source, lines);
    mark(text, lines.flatMap((line) => links.map.ofSource(line)));
  };
  left.onmouseleave = right.onmouseleave = clear;
}

function reveal(pane, line) {
  const [outer, inner] = [pane.getBoundingClientRect(), line.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom) pane.scrollTop += inner.top - outer.top - outer.height / 3;
}

function facts(record, row) {
  const verdict = { pass: "right", mismatch: "wrong", no_gradient: "none", unchecked: "not checked" }[record.gradient_verdict];
  return [
    ["Category", record.category.replaceAll("_", " ")],
    ["Difficulty", record.difficulty ?? "–"],
    ["Gradient", verdict],
    ["Split", row.split],
    ["Launch", `dim ${JSON.stringify(record.launch_dim)}`],
    ["Id", record.id],
  ];
}

function pane(parent, label) {
  const made = add(parent, "div", "code pane");
  made.tabIndex = 0;
  made.setAttribute("role", "region");
  made.setAttribute("aria-label", label);
  return { pane: made, pre: add(made, "pre") };
}

async function showRecord(row, button) {
  const record = await readRecord(row.n);
  for (const other of document.querySelectorAll("#list [aria-current]")) other.removeAttribute("aria-current");
  button.setAttribute("aria-current", "true");
  const view = element("view");
  view.replaceChildren();
  add(view, "h3", "", record.kernel_name);
  const [summary, ...steps] = record.description.split("\n\n");
  add(view, "p", "", summary);
  if (steps.length) add(view, "pre", "", steps.join("\n\n"));
  const list = add(view, "dl", "facts");
  for (const [name, text] of facts(record, row)) {
    const pair = add(list, "div");
    add(pair, "dt", "", name);
    add(pair, "dd", "", text);
  }
  const tabs = add(view, "div", "views");
  tabs.setAttribute("role", "group");
  tabs.setAttribute("aria-label", "Generated text");
  const sides = add(view, "div", "sides");
  const left = pane(sides, "Python");
  const right = pane(sides, "Generated text");
  const source = showCode(left.pre, record.python_source, "python");
  const open = (which, tab) => {
    for (const other of tabs.children) other.setAttribute("aria-pressed", String(other === tab));
    const { text, pairs } = textOf(record, which);
    const lines = showCode(right.pre, text, "cpp");
    right.pane.scrollTop = 0;
    connect(left.pane, right.pane, { map: new LineLinks(pairs), source, text: lines });
  };
  for (const which of VIEWS.filter((each) => each.texts.some((name) => record[name]))) {
    const tab = add(tabs, "button", "", which.title);
    tab.type = "button";
    tab.onclick = () => open(which, tab);
    if (tabs.children.length === 1) open(which, tab);
  }
}

// ---- start ----

function useTheme(theme) {
  document.documentElement.dataset.theme = theme;
}

function startReport() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  useTheme(dark.matches ? "dark" : "light");
  dark.onchange = () => useTheme(dark.matches ? "dark" : "light");
  element("theme").onclick = () => useTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  for (const name of JSON.parse(element("categories").textContent)) element("category").append(new Option(name.replaceAll("_", " "), name));
  element("filters").onsubmit = (event) => event.preventDefault();
  element("filters").oninput = () => {
    from = 0;
    showList();
  };
  element("before").onclick = () => {
    from = Math.max(0, from - PAGE_ROWS);
    showList();
  };
  element("after").onclick = () => {
    from += PAGE_ROWS;
    showList();
  };
  showList();
}

startReport();
