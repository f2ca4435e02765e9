// The page: an editor on the left, what weft makes of it on the right.
import { ASK } from "./engine.js";
import { LineLinks, lineOf, mark, showCode } from "./code.js";
import { decodeState, encodeState } from "./share.js";
import { showVerdict, verdictSign } from "./verdict.js";

const $ = (id) => document.getElementById(id);

const TABS = [
  { id: "cuda", title: "CUDA forward", asks: ASK.cuda, parts: ["cuda_prelude", "cuda_forward"], language: "cpp" },
  { id: "backward", title: "CUDA backward", asks: ASK.cuda, parts: ["cuda_backward"], language: "cpp" },
  { id: "cpp", title: "C++", asks: ASK.cpp, parts: ["cpp_prelude", "cpp_forward", "cpp_backward"], language: "cpp" },
  { id: "readable", title: "Readable CUDA", asks: ASK.readable, language: "cpp" },
  { id: "verdict", title: "Gradient", asks: ASK.verdict },
  { id: "tree", title: "Region tree", asks: ASK.tree, language: "tree" },
];
const PARTS = ["prelude", "forward", "backward"]; // by number, as the engine's lists of lines have them

// ---- engines: one for what must be quick, one for verdicts, which take longer ----

class Remote {
  // module: a promise, so that the worker starts while it is being loaded
  constructor(module) {
    this.module = module;
    this.start();
  }

  start() {
    this.waiting = new Map();
    this.count = 0;
    this.worker = new Worker("worker.js", { type: "module" });
    this.worker.onmessage = ({ data }) => {
      const { resolve, reject } = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      data.error === undefined ? resolve(data) : reject(new Error(data.error));
    };
    const worker = this.worker;
    this.ready = this.module.then((module) => worker.postMessage({ module }));
  }

  async call(call, ...args) {
    const worker = this.worker;
    await this.ready;
    return new Promise((resolve, reject) => {
      const id = this.count++;
      this.waiting.set(id, { resolve, reject });
      worker.postMessage({ id, call, args });
    });
  }

  // Gives up what is under way.
  drop() {
    if (!this.waiting.size) return;
    this.worker.terminate();
    this.start();
  }
}

async function loadModule() {
  try {
    return await WebAssembly.compileStreaming(fetch("weft.wasm"));
  } catch {
    return await WebAssembly.compile(await (await fetch("weft.wasm")).arrayBuffer()); // a server that does not know the type
  }
}

// ---- state ----

const state = { warp: "", tab: "cuda", kernel: "", result: null, verdicts: null, stale: true };
let editor, quick, slow, about, examples;
let lines = []; // of the panel
let links = new LineLinks([]);
let widgets = [];
let marked = []; // lines of the editor

const tabOf = (id) => TABS.find((tab) => tab.id === id) ?? TABS[0];

// ---- compiling ----

let running = false;
let again = false;

// The newest text is what counts: while one is being compiled, only the last of those that come is kept.
async function compile() {
  if (running) {
    again = true;
    return;
  }
  running = true;
  const start = performance.now();
  const tab = tabOf(state.tab);
  const asked = tab.asks === ASK.verdict ? ASK.cuda : tab.asks;
  try {
    const { answer, ms } = await quick.call("compile", state.warp, editor.getValue(), asked);
    state.result = answer;
    showErrors(answer.errors);
    chooseKernel();
    show();
    const all = performance.now() - start;
    if (!performance.getEntriesByName("first-result").length) performance.mark("first-result");
    document.documentElement.dataset.compileMs = ms.toFixed(2);
    document.documentElement.dataset.roundMs = all.toFixed(2);
    document.documentElement.dataset.compiled = Number(document.documentElement.dataset.compiled ?? 0) + 1;
    tellResult(answer, ms);
  } catch (error) {
    state.result = null;
    showErrors([{ error: { line: 1, column: 1, message: error.message } }]);
    tell(error.message, true);
  }
  running = false;
  if (again) {
    again = false;
    compile();
  }
}

let verdictTimer = 0;

function checkSoon() {
  clearTimeout(verdictTimer);
  state.verdicts = null;
  showSign();
  verdictTimer = setTimeout(check, 250);
}

async function check() {
  slow.drop();
  try {
    const { answer } = await slow.call("compile", state.warp, editor.getValue(), ASK.verdict);
    state.verdicts = new Map(answer.kernels.map((kernel) => [kernel.kernel_name, kernel.verdict]));
  } catch (error) {
    state.verdicts = error;
  }
  showSign();
  if (state.tab === "verdict") show();
}

function changed() {
  compile();
  checkSoon();
  saveSoon();
}

// ---- what is said ----

function tell(text, bad = false) {
  $("status").textContent = text;
  $("status").classList.toggle("bad", bad);
}

const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

function tellResult({ kernels, errors }, ms) {
  const time = `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  if (errors.length) tell(`${plural(errors.length, "error")}, first in line ${errors[0].error.line} · ${time}`, true);
  else tell(kernels.length ? `${plural(kernels.length, "kernel")} · ${time}` : "There is no @wp.kernel in this text yet.");
}

function showErrors(errors) {
  editor.operation(() => {
    for (const widget of widgets) widget.clear();
    widgets = errors.map(({ error }) => {
      const box = document.createElement("div");
      box.className = "problem";
      box.setAttribute("role", "note");
      const caret = document.createElement("pre");
      caret.textContent = `${" ".repeat(Math.max(0, error.column - 1))}^`;
      const message = document.createElement("p");
      message.textContent = error.message;
      box.append(caret, message);
      if (error.hint) {
        const hint = document.createElement("p");
        hint.className = "hint";
        hint.textContent = error.hint;
        box.append(hint);
      }
      box.dataset.line = error.line;
      return editor.addLineWidget(Math.min(error.line, editor.lineCount()) - 1, box);
    });
  });
}

// ---- which kernel ----

function chooseKernel() {
  const kernels = state.result.kernels;
  const names = kernels.map((kernel) => kernel.kernel_name);
  if (!names.includes(state.kernel)) state.kernel = names[0] ?? "";
  const select = $("kernel");
  if ([...select.options].map((option) => option.value).join() !== names.join())
    select.replaceChildren(...names.map((name) => new Option(name, name)));
  select.value = state.kernel;
  $("kernel-choice").hidden = kernels.length < 2;
}

const currentKernel = () => state.result?.kernels.find((kernel) => kernel.kernel_name === state.kernel);

// The kernel in which the cursor is.
function followCursor() {
  const line = editor.getCursor().line + 1;
  const kernel = state.result?.kernels.find((each) => each.line - 2 <= line && line <= each.last_line);
  if (kernel && kernel.kernel_name !== state.kernel) {
    state.kernel = kernel.kernel_name;
    $("kernel").value = state.kernel;
    show();
  }
  markFromSource(line, false);
}

// ---- the panel ----

function lineText(kernel, tab) {
  const pairs = [];
  let text = "";
  for (const part of tab.parts) {
    const offset = text.split("\n").length - 1;
    const [field, name] = part.split("_");
    const list = kernel[`${field}_lines`] ?? [];
    for (let i = 0; i < list.length; i += 4)
      if (PARTS[list[i]] === name) pairs.push([list[i + 1], list[i + 2] + offset, list[i + 3] + offset]);
    text += kernel[part] ?? "";
  }
  return { text, pairs };
}

function note(panel, text) {
  const paragraph = document.createElement("p");
  paragraph.className = "note";
  paragraph.textContent = text;
  panel.append(paragraph);
}

function contentOf(kernel, tab) {
  if (tab.parts) return lineText(kernel, tab);
  if (tab.id === "tree") return { text: kernel.tree ?? "", pairs: [] };
  return { text: kernel.readable?.text ?? "", pairs: [], note: kernel.readable?.reason };
}

let shownText = "";

function show() {
  const tab = tabOf(state.tab);
  const panel = $("panel");
  const kernel = currentKernel();
  lines = [];
  links = new LineLinks([]);
  shownText = "";
  panel.classList.toggle("code", Boolean(kernel) && tab.id !== "verdict");
  if (!kernel) {
    panel.replaceChildren();
    note(panel, state.result?.errors.length ? "No kernel compiles; the reasons are under the lines on the left." : "There is no kernel to show.");
    return;
  }
  if (tab.id === "verdict") {
    showVerdict(panel, state.verdicts, state.kernel);
    return;
  }
  const content = contentOf(kernel, tab);
  panel.replaceChildren();
  if (content.note) note(panel, content.text ? `Without a backward kernel: ${content.note}` : `There is no readable form: ${content.note}`);
  if (!content.text) {
    if (!content.note) note(panel, tab.id === "backward" ? "This kernel has no backward pass." : "There is nothing to show.");
    return;
  }
  const pre = document.createElement("pre");
  lines = showCode(pre, content.text, tab.language);
  links = new LineLinks(content.pairs);
  shownText = content.text;
  panel.append(pre);
}

function showSign() {
  const sign = state.verdicts instanceof Map ? verdictSign(state.verdicts.get(state.kernel)) : "";
  $("tab-verdict").dataset.sign = sign;
}

// ---- lines that belong together ----

function clearMarks() {
  for (const handle of marked) editor.removeLineClass(handle, "background", "marked");
  marked = [];
  mark(lines, []);
}

function markEditor(numbers) {
  marked = numbers.filter((n) => n <= editor.lineCount()).map((n) => editor.addLineClass(n - 1, "background", "marked"));
}

function markFromSource(line, reveal = true) {
  editor.operation(() => {
    clearMarks();
    const found = links.ofSource(line);
    mark(lines, found);
    if (!found.length) return;
    markEditor([line]);
    if (reveal) revealLine(lines[found[0] - 1]);
  });
}

// Within the panel alone, and only where it is not seen.
function revealLine(line) {
  const panel = $("panel");
  const [outer, inner] = [panel.getBoundingClientRect(), line.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom) panel.scrollTop += inner.top - outer.top - outer.height / 3;
}

function markFromText(line) {
  editor.operation(() => {
    clearMarks();
    const sources = links.ofText(line);
    if (!sources.length) return;
    markEditor(sources);
    mark(lines, sources.flatMap((source) => links.ofSource(source)));
  });
}

// ---- the address ----

let saveTimer = 0;
let lastFragment = "";

async function save() {
  lastFragment = `#${await encodeState({ source: editor.getValue(), warp: state.warp, tab: state.tab })}`;
  history.replaceState(null, "", lastFragment);
}

function saveSoon() {
  clearTimeout(saveTimer);
  saveTimer = setTimeout(save, 400);
}

async function share() {
  await save();
  try {
    await navigator.clipboard.writeText(location.href);
    tell("The link is copied.");
  } catch {
    tell("The link is in the address bar.");
  }
}

function take(found) {
  if (about.warp.includes(found.warp)) state.warp = found.warp;
  state.tab = tabOf(found.tab).id;
  $("warp").value = state.warp;
  selectTab(state.tab, false);
  editor.setValue(found.source);
}

async function openAddress() {
  if (location.hash === lastFragment) return;
  const found = await decodeState(location.hash);
  if (found) take(found);
}

// ---- controls ----

function selectTab(id, focus) {
  state.tab = id;
  for (const tab of TABS) {
    const button = $(`tab-${tab.id}`);
    const selected = tab.id === id;
    button.setAttribute("aria-selected", String(selected));
    button.tabIndex = selected ? 0 : -1;
    if (selected && focus) button.focus();
    if (selected) button.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
  $("panel").setAttribute("aria-labelledby", `tab-${id}`);
  $("panel").scrollTop = 0;
}

function makeTabs() {
  $("tabs").append(
    ...TABS.map((tab) => {
      const button = document.createElement("button");
      button.type = "button";
      button.id = `tab-${tab.id}`;
      button.textContent = tab.title;
      button.setAttribute("role", "tab");
      button.setAttribute("aria-controls", "panel");
      button.onclick = () => {
        selectTab(tab.id, true);
        show();
        compile();
        saveSoon();
      };
      return button;
    }),
  );
  $("tabs").onkeydown = (event) => {
    const at = TABS.findIndex((tab) => tab.id === state.tab);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: TABS.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    $(`tab-${TABS[(to + TABS.length) % TABS.length].id}`).click();
  };
}

function makeEditor() {
  editor = CodeMirror($("editor"), {
    mode: "python",
    lineNumbers: true,
    indentUnit: 4,
    screenReaderLabel: "Kernel in Python",
    viewportMargin: 30,
    extraKeys: keys(true),
  });
  editor.on("change", changed);
  editor.on("cursorActivity", followCursor);
  editor.on("focus", () => editor.setOption("extraKeys", keys(true)));
  const wrapper = editor.getWrapperElement();
  wrapper.addEventListener("mousemove", (event) => {
    markFromSource(editor.coordsChar({ left: event.clientX, top: event.clientY }, "window").line + 1);
  });
  wrapper.addEventListener("mouseleave", clearMarks);
}

// Tab indents, until Escape lets it leave the editor.
function keys(indents) {
  return indents
    ? { Tab: "insertSoftTab", "Shift-Tab": "indentLess", Esc: () => editor.setOption("extraKeys", keys(false)) }
    : { Tab: false, "Shift-Tab": false };
}

function fillChoices() {
  $("warp").replaceChildren(...about.warp.toReversed().map((warp) => new Option(warp, warp)));
  $("category").replaceChildren(new Option("any", ""), ...about.categories.map(({ name }) => new Option(name.replaceAll("_", " "), name)));
  const select = $("example");
  select.append(new Option("—", ""));
  for (const group of examples) {
    const list = document.createElement("optgroup");
    list.label = group.title;
    list.append(...group.kernels.map(({ name }, i) => new Option(name, `${group.title}/${i}`)));
    select.append(list);
  }
  $("versions").textContent = `weft ${about.weft}`;
}

function connectControls() {
  $("example").onchange = ({ target }) => {
    const [title, i] = target.value.split("/");
    const found = examples.find((group) => group.title === title)?.kernels[i];
    if (found) editor.setValue(found.source);
  };
  $("warp").onchange = ({ target }) => {
    state.warp = target.value;
    changed();
  };
  $("kernel").onchange = ({ target }) => {
    state.kernel = target.value;
    show();
    showSign();
  };
  $("invent").onsubmit = async (event) => {
    event.preventDefault();
    try {
      const { answer } = await quick.call("invent", state.warp, $("category").value, Math.max(0, Math.floor(Number($("seed").value) || 0)));
      $("example").value = "";
      editor.setValue(answer.source);
      tell(answer.description.split("\n\n")[0]);
      $("seed").value = Number($("seed").value) + 1;
    } catch (error) {
      tell(error.message, true);
    }
  };
  $("share").onclick = share;
  $("copy").onclick = async () => {
    try {
      await navigator.clipboard.writeText(shownText || $("panel").textContent);
      tell("Copied.");
    } catch {
      tell("This browser does not let the page copy.", true);
    }
  };
  $("panel").addEventListener("mousemove", (event) => markFromText(lineOf(event)));
  $("panel").addEventListener("mouseleave", clearMarks);
  addEventListener("hashchange", openAddress);
}

// ---- light and dark ----

function useTheme(theme) {
  document.documentElement.dataset.theme = theme;
}

function makeTheme() {
  const wanted = matchMedia("(prefers-color-scheme: dark)");
  let stored = null;
  try {
    stored = localStorage.getItem("weft-theme");
  } catch {
    // no storage: the system's choice
  }
  useTheme(stored ?? (wanted.matches ? "dark" : "light"));
  wanted.onchange = () => useTheme(wanted.matches ? "dark" : "light");
  $("theme").onclick = () => {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    useTheme(theme);
    try {
      localStorage.setItem("weft-theme", theme);
    } catch {
      // until the page is left
    }
  };
}

// ---- start ----

async function start() {
  const module = loadModule();
  quick = new Remote(module);
  makeTheme();
  makeTabs();
  makeEditor();
  let found, choices;
  [examples, found, choices] = await Promise.all([fetch("examples.json").then((r) => r.json()), decodeState(location.hash), quick.call("about")]);
  about = choices.answer;
  slow = new Remote(module);
  fillChoices();
  connectControls();
  state.warp = about.warp.at(-1);
  if (found) {
    take(found);
  } else {
    selectTab(state.tab, false);
    $("example").selectedIndex = 1;
    editor.setValue(examples[0].kernels[0].source);
  }
  editor.clearHistory();
  navigator.serviceWorker?.register("offline.js").catch(() => {});
}

start().catch((error) => tell(`The playground could not start: ${error.message}`, true));
