"""The page that tools/conformance.py writes: tables of what was compared, as Markdown."""

import collections
import re

import warp_package

RESULTS = ("identical", "refused", "different")
PAGE = warp_package.ROOT / "docs/lab/conformance.md"
INTRODUCTION = """# Conformance

What `weft extract --warp VERSION` writes, compared with what that version of Warp writes for the same kernels, by `make conformance`.
A kernel is *identical* if its name with its hash and the texts for both devices, forward and backward, are equal byte for
byte once comments are removed; *refused* if weft gives an error for it; *different* otherwise.
"""


# What other tools write into the page, under these titles.
SECTIONS = ("Whole projects", "Kernel objects of Warp ", "Unit tests of Warp ")


def sections_of(page):
    """[(title, text)] of the parts that begin with a heading of the first level."""
    starts = [m.start() for m in re.finditer(r"^# ", page, re.M)] + [len(page)]
    texts = [page[a:b] for a, b in zip(starts, starts[1:])]
    return [(text[2 : text.index("\n")], text) for text in texts]


def write_section(title, text):
    """Puts a section into the page, in the place of the one with its title."""
    section = f"# {title}\n\n{text.strip()}\n"
    texts = dict(sections_of(PAGE.read_text())) | {title: section}
    PAGE.write_text("\n".join(text.strip() + "\n" for text in texts.values()))


class Compared:
    """What was found out about one version of Warp."""

    def __init__(self, version):
        self.version = version
        self.results = []
        self.unimportable = []  # rows of files of Warp's own package that cannot be imported here
        self.unstable = []  # rows of kernels for which Warp itself does not always write the same


def count(results):
    tally = collections.Counter(r.result for r in results)
    return [len(results)] + [tally[name] for name in RESULTS]


def percent(part, whole):
    """Never rounded up to 100."""
    return f"{int(1000 * part / whole) / 10:.1f} %" if whole else "-"


def table(head, lines):
    """A Markdown table whose columns line up."""
    cells = [head] + [[str(c) for c in line] for line in lines]
    width = [max(len(line[i]) for line in cells) for i in range(len(head))]
    shown = [
        "| "
        + " | ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(line, width, strict=True)))
        + " |"
        for line in cells
    ]
    rule = "| " + " | ".join("-" * w if i == 0 else "-" * (w - 1) + ":" for i, w in enumerate(width)) + " |"
    return "\n".join([shown[0], rule, *shown[1:]])


def line_of(label, results):
    total, identical, refused, different = count(results)
    warp_refuses = bool(results) and results[0].group in ("errors", "refused")
    return [label, total, identical, refused, different, percent(refused if warp_refuses else identical, total)]


HEAD = ["", "kernels", "identical", "refused", "different", "as Warp does"]
CLASS_LABELS = {
    "own": "need only their own file",
    "tile": "use tiles",
    "made": "aside: made in a function, at run time",
    "foreign": "aside: need another file",
    "unstable": "aside: Warp's own result is not stable",
    "refused": "refused by Warp itself",
}


def of(results, *groups):
    return [r for r in results if r.group in groups]


def golden_section(results):
    by_file = collections.defaultdict(list)
    for r in results:
        by_file[r.file].append(r)
    parts = [
        line_of("golden set", of(results, "promised")),
        line_of("aside: tiles, queries, kernels made in functions", of(results, "aside")),
        line_of("`errors.py`: refused by Warp, to be refused", of(results, "errors")),
    ]
    files = [line_of(f"`{file}`", rs)[:5] for file, rs in sorted(by_file.items())]
    return ["## Golden set", "", table(HEAD, [p for p in parts if p[1]]), "", table(["file", *HEAD[1:5]], files), ""]


def warp_section(results):
    classes = [line_of(CLASS_LABELS[c], of(results, c)) for c in warp_package.CLASSES]
    own = of(results, "own")
    folders = [f"warp/{folder}" for folder in warp_package.FOLDERS]
    by_folder = [line_of(f"`{f}`", [r for r in own if r.file.startswith(f + "/")]) for f in folders]
    return [
        "## Warp's own package",
        "",
        "Module-level kernels in the files of `warp/examples`, `warp/_src` and `warp/tests`.",
        "",
        table(HEAD, classes),
        "",
        "Those that need only their own file, by folder:",
        "",
        table(HEAD, by_folder),
        "",
    ]


def reasons_section(title, results):
    reasons = collections.Counter(normalised(r.reason) for r in results if r.result == "refused")
    if not reasons:
        return []
    rest = [f"and {len(reasons) - 40} rarer reasons.", ""] if len(reasons) > 40 else []
    return [f"## Why refused: {title}", "", table(["reason", "kernels"], reasons.most_common(40)), "", *rest]


def list_section(title, lines):
    return [f"## {title}", "", *(f"- {line}" for line in lines), ""] if lines else []


def versions_section(all_compared):
    """A line per version: the golden set and tests/versions, what Warp refuses there, Warp's own package."""
    lines = []
    for compared in all_compared:
        golden = [r for r in compared.results if r.corpus == "golden"]
        own = of(compared.results, "own")
        _, identical, refused, different = count(of(golden, "promised", "aside"))
        errors = count(of(golden, "errors"))
        total, own_identical, own_refused, own_different = count(own)
        lines.append([compared.version, identical, refused, different, f"{errors[2]} of {errors[0]}"])
        lines[-1] += [f"{own_identical} of {total}", percent(own_identical, total), own_refused, own_different]
    head = ["Warp", "golden: identical", "refused", "different", "Warp refuses: refused"]
    head += ["Warp's own: identical", "", "refused", "different"]
    text = """## All versions

*Golden*: what the version accepts of the golden set and of `tests/versions`, the kernels that show what changed between versions.
*Warp's own*: kernels of that version's own package that need only their own file, tiles aside.
"""
    return "\n".join([text, table(head, lines), ""])


def report(compared):
    """All about one version."""
    results = compared.results
    golden = [r for r in results if r.corpus == "golden"]
    warp = [r for r in results if r.corpus == "warp"]
    different = [r for r in results if r.result == "different"]
    out = golden_section(golden) if golden else []
    out += warp_section(warp) if warp else []
    out += reasons_section("golden set", of(golden, "promised", "aside"))
    out += reasons_section("Warp's own, only their own file", of(warp, "own"))
    out += reasons_section("Warp's own, all others", of(warp, "tile", "made", "foreign", "unstable"))
    out += list_section("Different", [f"`{r.file}` `{r.kernel}`: {r.reason}" for r in different[:100]])
    unstable = [f"`{r['file']}` `{r['kernel']}`: {warp_package.why(r)}" for r in compared.unstable]
    out += list_section("Not stable in Warp itself", unstable)
    unimportable = [f"`{r['file']}`: {short(r['error'])}" for r in compared.unimportable]
    out += list_section("Files that Warp cannot import here", unimportable)
    return "\n".join(out)


def write(all_compared):
    """The page: all versions in a table, then the newest in detail."""
    newest = all_compared[-1]
    parts = [INTRODUCTION, versions_section(all_compared), f"# Warp {newest.version} in detail\n", report(newest).rstrip()]
    kept = [text for title, text in sections_of(PAGE.read_text()) if title.startswith(SECTIONS)]
    PAGE.write_text("\n".join(parts) + "\n" + "".join(kept))
    return PAGE.relative_to(warp_package.ROOT)


def normalised(reason):
    """A message with its names and numbers taken out, so that like reasons count together."""
    reason = re.sub(r"'[^']*'|`[^`]*`|\"[^\"]*\"", "'…'", reason.splitlines()[0] if reason else "(no message)")
    return re.sub(r"\b\d+\b", "N", reason).replace("|", "\\|")


def short(message):
    """The heart of a message of Warp's, without paths."""
    message = re.split(r"\n;|\\n;", message)[-1]  # before it: the place
    return re.sub(r"/\S*/", "", message.strip().split("\n")[0])[:160]
