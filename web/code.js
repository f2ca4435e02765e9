// Text as lines that can be marked, with a little colour. Everything that is shown goes through textContent: no text becomes markup.

const PYTHON_WORDS =
  "and as assert break class continue def del elif else except False finally for from global if import in is lambda None not or pass raise return True try while with yield match case";
const CPP_WORDS =
  "alignas auto bool break case char class const constexpr continue default do double else enum extern false float for if inline int long namespace nullptr return short signed sizeof static struct switch template true typedef union unsigned using void while size_t";

const languages = {
  python: {
    words: new Set(PYTHON_WORDS.split(" ")),
    tokens: /(?<comment>#.*)|(?<string>"""[^]*?"""|'''[^]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?<number>\b\d[\w.]*)|(?<meta>@[\w.]+)|(?<name>[A-Za-z_]\w*)/g,
  },
  cpp: {
    words: new Set(CPP_WORDS.split(" ")),
    tokens: /(?<comment>\/\/.*|\/\*[^]*?\*\/)|(?<string>"(?:[^"\\\n]|\\.)*")|(?<number>\b\d[\w.]*)|(?<meta>^\s*#\w+|\b__\w+__\b)|(?<name>[A-Za-z_]\w*)/gm,
  },
  tree: { words: new Set(), tokens: /(?<number>%\w+|\b\d[\w.]*)|(?<string>"(?:[^"\\\n]|\\.)*")|(?<name>[A-Za-z_]\w*)/g },
};

function append(line, text, kind) {
  if (!text) return;
  if (!kind) {
    line.append(document.createTextNode(text));
    return;
  }
  const span = document.createElement("span");
  span.className = `t-${kind}`;
  span.textContent = text;
  line.append(span);
}

// [{text, kind}], in order; kind is undefined for what has no colour.
function* pieces(text, language) {
  const { words, tokens } = languages[language];
  let at = 0;
  for (const match of text.matchAll(tokens)) {
    const kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
    const shown = kind !== "name" ? kind : words.has(match[0]) ? "word" : undefined;
    if (!shown) continue;
    yield { text: text.slice(at, match.index) };
    yield { text: match[0], kind: shown };
    at = match.index + match[0].length;
  }
  yield { text: text.slice(at) };
}

// Fills an element with lines: each is a <span class="line">, and lines[i] of the result is line i + 1.
export function showCode(element, text, language) {
  const list = document.createDocumentFragment();
  const lines = [];
  const next = () => {
    const line = document.createElement("span");
    line.className = "line";
    line.dataset.line = lines.length + 1;
    lines.push(line);
    list.append(line);
    return line;
  };
  let line = next();
  for (const piece of pieces(text.replace(/\n+$/, ""), language)) {
    const parts = piece.text.split("\n");
    parts.forEach((part, i) => {
      if (i) line = next();
      append(line, part, piece.kind);
    });
  }
  for (const each of lines) each.append(document.createTextNode("\n"));
  element.replaceChildren(list);
  return lines;
}

// Lines on both sides that belong together. `pairs`: [[source line, first line, last line], …]
export class LineLinks {
  constructor(pairs) {
    this.pairs = pairs;
  }

  ofSource(line) {
    return this.pairs.filter(([source]) => source === line).flatMap(([, first, last]) => range(first, last));
  }

  ofText(line) {
    return [...new Set(this.pairs.filter(([, first, last]) => first <= line && line <= last).map(([source]) => source))];
  }
}

function range(first, last) {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

export function lineOf(event) {
  const line = event.target.closest?.(".line");
  return line ? Number(line.dataset.line) : 0;
}

export function mark(lines, numbers, name = "marked") {
  const wanted = new Set(numbers);
  lines.forEach((line, i) => line.classList.toggle(name, wanted.has(i + 1)));
}
