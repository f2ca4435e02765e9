// What weft check says about a kernel, in words.

// A sign for the tab: is there anything to look at?
export function verdictSign(verdict) {
  if (!verdict) return "";
  if (verdict.forward !== "pass") return "?";
  return { pass: "✓", mismatch: "✗" }[verdict.gradient] ?? "–";
}

function add(parent, name, text, className) {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

const number = (value) => (value === null || value === undefined ? "not defined" : String(Number(value.toPrecision(9))));

function headline({ forward, gradient }) {
  if (forward !== "pass") return ["not checked", "unsure"];
  if (gradient === "pass") return ["Warp's gradient is right", "right"];
  if (gradient === "mismatch") return ["Warp's gradient is wrong", "wrong"];
  return ["There is no gradient to check", "unsure"];
}

function addRow(list, name, text) {
  add(list, "dt", name);
  add(list, "dd", text);
}

function addFacts(panel, verdict) {
  const list = add(panel, "dl");
  addRow(list, "Values", verdict.forward === "pass" ? "two evaluators agree on them" : `not compared: ${verdict.forward}`);
  if (verdict.gradient !== "none") {
    addRow(list, "True derivative", `${number(verdict.true_dot)} along a random direction`);
    addRow(list, "Warp's", number(verdict.warp_dot));
    if (verdict.gradient_error !== null) addRow(list, "Relative error", verdict.gradient_error.toExponential(1));
  }
  if (verdict.launched_with) addRow(list, "Launched with", verdict.launched_with);
  for (const finding of verdict.findings)
    addRow(list, `Line ${finding.line}`, `${finding.message} (${finding.pass} pass)${finding.valid_with ? `; valid with ${finding.valid_with}` : ""}`);
}

function addExample(panel, example) {
  add(panel, "h3", "Smallest example found");
  const list = add(panel, "dl");
  addRow(list, "Launch", example.flags);
  addRow(list, "Derivative", `d ${example.output} / d ${example.input}`);
  addRow(list, "True", number(example.true));
  addRow(list, "Warp's", number(example.warp));
  add(panel, "pre", JSON.stringify(example.inputs, null, 1).replaceAll(/\n\s+(?=[-\d\]])/g, " "), "inputs");
}

// verdicts: a Map by kernel, an Error, or null while they are being found out.
export function showVerdict(panel, verdicts, kernel) {
  panel.replaceChildren();
  const box = add(panel, "div", undefined, "verdict");
  if (!verdicts || verdicts instanceof Error || !verdicts.get(kernel)) {
    add(box, "p", verdicts instanceof Error ? verdicts.message : verdicts ? "There is no verdict on this kernel." : "Running the kernel …", "note");
    return;
  }
  const verdict = verdicts.get(kernel);
  const [text, className] = headline(verdict);
  add(box, "h3", text, `headline ${className}`);
  if (verdict.why) {
    add(box, "p", `Line ${verdict.why.line}: ${verdict.why.text}.`);
    add(box, "p", `Instead: ${verdict.why.rewrite}`);
  }
  addFacts(box, verdict);
  if (verdict.example) addExample(box, verdict.example);
}
