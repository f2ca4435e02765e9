"""The comparing part of tools/follow_warp.py: what two versions of Warp register and write, and the report about it."""

import collections
import difflib
import re

CALL = re.compile(r"\b(?:wp::)?([A-Za-z_]\w*)\(")
EXAMPLE_LINES = 24
NAMES_SHOWN = 6


# ---- builtins and digests ----------------------------------------------------------------------------------------


def spell_row(row):
    params = ", ".join(f"{name}:{t}" + (f"={default}" if default is not None else "") for name, t, default in row["params"])
    result = row["result"] or "nothing"
    native = f", native {row['native']}" if row["native"] != row["name"] else ""
    return f"{row['name']}({params}) -> {result}{native}" + (f" [{', '.join(row['flags'])}]" if row["flags"] else "")


def by_parameters(rows):
    """Overloads of a name are told apart by their parameters' names and types."""
    found = collections.OrderedDict()
    for row in rows:
        key = (row["name"], tuple((name, t) for name, t, _ in row["params"]))
        while key in found:  # registered twice
            key += ("again",)
        found[key] = row
    return found


def compare_builtins(old, new):
    """(added rows, removed rows, [(old row, new row)] that differ in something else, names whose overloads changed their order)"""
    a, b = by_parameters(old), by_parameters(new)
    added = [row for key, row in b.items() if key not in a]
    removed = [row for key, row in a.items() if key not in b]
    changed = [(a[key], b[key]) for key in a if key in b and a[key] != b[key]]
    moved = []
    for name in dict.fromkeys(key[0] for key in a):
        before = [key for key in a if key[0] == name and key in b]
        after = [key for key in b if key[0] == name and key in a]
        if before != after:
            moved.append(name)
    return added, removed, changed, moved


def compare_digests(old, new):
    return {name: digest for name, digest in new.items() if old.get(name) != digest}, sorted(old.keys() - new.keys())


# ---- texts -------------------------------------------------------------------------------------------------------


def calls_in(text):
    return collections.Counter(CALL.findall(text))


def signature(old, new):
    """What kind of difference it is: which calls there are more of, which fewer."""
    a, b = calls_in(old), calls_in(new)
    more = sorted(name for name in b if b[name] > a[name])
    fewer = sorted(name for name in a if a[name] > b[name])
    words = [f"more {', '.join(more)}"] if more else []
    words += [f"fewer {', '.join(fewer)}"] if fewer else []
    return "; ".join(words) or "the same calls, in another order or with other operands"


def without_name(row, device):
    return row.get(device, "").replace(row.get("name") or "\0", "NAME")


def masked(lines):
    """Declarations out, numbers of variables out: they change with everything that stands before them."""
    return [re.sub(r"\b(var|adj)_\d+", r"\1_N", line) for line in lines]


def is_code(line):
    return not re.match(r"\s*(const )?[A-Za-z_][\w:<>, ]*[*&]? (var|adj)_\d+( = [^()]*)?;$", line)


def example(old, new, device):
    """The lines that differ in more than the numbers of variables, or else those that differ in these."""
    a, b = ([line for line in without_name(row, device).splitlines() if is_code(line)] for row in (old, new))
    numbers_only = masked(a) == masked(b)
    matcher = difflib.SequenceMatcher(None, *((a, b) if numbers_only else (masked(a), masked(b))), autojunk=False)
    shown = []
    for group in matcher.get_grouped_opcodes(1):
        shown.append("…")
        for tag, a1, a2, b1, b2 in group:
            if tag == "equal":
                shown += [" " + line for line in b[b1:b2]]
            else:
                shown += ["-" + line for line in a[a1:a2]] + ["+" + line for line in b[b1:b2]]
    return shown[:EXAMPLE_LINES] + ([f"… {len(shown) - EXAMPLE_LINES} more lines"] if len(shown) > EXAMPLE_LINES else [])


class Group:
    """Kernels that differ in the same way."""

    def __init__(self, device, kind):
        self.device, self.kind, self.kernels, self.example = device, kind, [], None

    def add(self, old, new):
        self.kernels.append(f"{new['file']} {new['kernel']}")
        shown = example(old, new, self.device)
        if self.example is None or len(shown) < len(self.example):
            self.example = shown


class Texts:
    """The comparison of all kernels."""

    def __init__(self, old_rows, new_rows):
        self.same = self.renamed = self.both = 0
        self.names, self.refused, self.accepted, self.gone = [], [], [], []
        groups = {}
        old = pair_key(old_rows)
        for key, row in pair_key(new_rows).items():
            before = old.pop(key, None)
            if before is None:
                continue  # a definition that the older version has no row for
            if "error" in before or "error" in row:
                self.compare_refusals(before, row)
                continue
            self.both += 1
            differs = self.compare_texts(before, row, groups)
            if before.get("name") != row.get("name"):
                self.names.append(f"{row['file']} {row['kernel']}")
            self.same += not differs and before.get("name") == row.get("name")
        self.gone = sorted(f"{row['file']} {row['kernel']}" for row in old.values() if "error" not in row)
        # What both devices share comes first: a change of the CPU's own text alone is most often one of its frame.
        self.groups = sorted(groups.values(), key=lambda g: (g.device == "cpu", -len(g.kernels), g.kind))

    def compare_refusals(self, before, row):
        label = f"{row.get('file', before.get('file'))} {row['kernel']}"
        if "error" not in before:
            self.refused.append((label, heart(row["error"])))
        elif "error" not in row:
            self.accepted.append((label, heart(before["error"])))

    def compare_texts(self, before, row, groups):
        devices = [d for d in ("cuda", "cpu") if without_name(before, d) != without_name(row, d)]
        if "cuda" in devices:  # the CPU text then differs for the same reason
            devices = ["cuda"]
        for device in devices:
            kind = signature(without_name(before, device), without_name(row, device))
            groups.setdefault((device, kind), Group(device, kind)).add(before, row)
        return bool(devices)


def pair_key(rows):
    """Rows by file and kernel; several of one key (overloads) are numbered."""
    found, seen = {}, collections.Counter()
    for row in rows:
        key = (row.get("file"), row["kernel"]) if "kernel" in row else (row.get("file"), "")
        seen[key] += 1
        if "file" in row and "kernel" in row:
            found[key + (seen[key],)] = row
    return found


def heart(message):
    return message.strip().splitlines()[-1].lstrip(";")[:160]


# ---- the report --------------------------------------------------------------------------------------------------


def version_id(version):
    return "_".join(version.split(".")[:2])


def counted(number, what):
    return f"{number} {what}" + ("s" if number != 1 else "")


def bullets(lines):
    return [f"- {line}" for line in lines] + [""]


def builtins_section(old, new):
    added, removed, changed, moved = compare_builtins(old["builtins"], new["builtins"])
    this, before = version_id(new["version"]), version_id(old["version"])
    out = ["## Builtins", "", f"{len(old['builtins'])} registrations before, {len(new['builtins'])} now.", ""]
    if not (added or removed or changed or moved):
        return [*out, "Nothing changed.", ""]
    for title, rows, advice in (
        ("Added", added, f"a row each in builtins.def: FN_IN({this}, NEWEST, …)"),
        ("Removed", removed, f"the row of each gets a last version: FN_IN(…, {before}, …)"),
    ):
        if rows:
            out += [f"### {title}: {advice}", "", *bullets(f"`{spell_row(row)}`" + (" (tile)" if row["tile"] else "") for row in rows)]
    if changed:
        out += [f"### Changed: two rows with touching ranges, until {before} and since {this}", ""]
        for a, b in changed:
            fields = ", ".join(field for field in b if a.get(field) != b.get(field))
            out += [f"- `{spell_row(a)}`", f"  now `{spell_row(b)}` ({fields})"]
        out.append("")
    if moved:
        out += ["### Overloads in another order", "", *bullets(f"`{name}`" for name in moved)]
    return out


def digests_section(old, new):
    changed, gone = compare_digests(old["library"], new["library"])
    out = ["## Digests of Warp's own functions", ""]
    if not changed and not gone:
        return [*out, "None changed.", ""]
    rows = [f'    LIBRARY({version_id(new["version"])}, "{name}", "{digest}")' for name, digest in sorted(changed.items())]
    out += [f"{len(changed)} changed; rows for library.def, each behind the older row of its name:", "", *rows, ""] if changed else []
    return out + (["No longer there:", "", *bullets(f"`{name}`" for name in gone)] if gone else [])


def shown_names(names):
    more = len(names) - NAMES_SHOWN
    return ", ".join(f"`{name}`" for name in names[:NAMES_SHOWN]) + (f" and {more} more" if more > 0 else "")


def texts_section(texts):
    different = sum(len(group.kernels) for group in texts.groups)
    out = [
        "## Texts",
        "",
        f"{texts.both} kernels that both accept: {texts.same} the same, {different} with another text, {len(texts.names)} with another name.",
        "",
    ]
    for number, group in enumerate(texts.groups, 1):
        out += [
            f"### {number}. {group.device}: {group.kind}",
            "",
            f"{counted(len(group.kernels), 'kernel')}: {shown_names(group.kernels)}. The shortest difference:",
            "",
            *(f"    {line}" for line in group.example),
            "",
        ]
    if texts.names:
        out += ["### Other names", "", f"{shown_names(texts.names)}. Without another text, something else is hashed.", ""]
    if texts.refused:
        out += ["### Newly refused", "", *bullets(f"`{name}`: {why}" for name, why in texts.refused)]
    if texts.accepted:
        out += ["### Newly accepted", "", *bullets(f"`{name}` (before: {why})" for name, why in texts.accepted)]
    if texts.gone:
        out += ["### Without a row now", "", *bullets(f"`{name}`" for name in texts.gone)]
    return out


def work_section(old, new, texts):
    """What weft needs, as lines to write."""
    added, removed, changed, moved = compare_builtins(old["builtins"], new["builtins"])
    digests, _ = compare_digests(old["library"], new["library"])
    tiles = sum(row["tile"] for row in added + removed) + sum(b["tile"] for _, b in changed)
    rows = len(added) + len(removed) + len(changed)
    this = version_id(new["version"])
    lines = [f'`versions.def`: `VERSION({this}, "{new["version"]}")`']
    if rows:
        lines.append(f"`builtins.def`: {rows} rows, {tiles} of them of tiles")
    if digests:
        lines.append(f"`library.def`: {len(digests)} rows, below")
    for device, where in (("cuda", "on both devices"), ("cpu", "on the CPU only")):
        numbers = [number for number, group in enumerate(texts.groups, 1) if group.device == device]
        if numbers:
            span = f"difference {numbers[0]}" if len(numbers) == 1 else f"differences {numbers[0]} to {numbers[-1]}"
            lines.append(
                f"`versions.def`: for {span} ({where}) a `TRAIT(…, {this}, NEWEST, …)` per rule behind them, "
                f"or an older trait that ends with {version_id(old['version'])}"
            )
    if texts.refused or texts.accepted:
        lines.append(f"refusals: {len(texts.refused)} new, {len(texts.accepted)} gone")
    return ["## What weft needs", "", *bullets(lines)]


def report(old, new):
    texts = Texts(old["texts"], new["texts"])
    out = [f"# Warp {old['version']} → {new['version']}", "", "Written by `tools/follow_warp.py`; docs/how-to/follow-warp.md says what to do with it.", ""]
    out += work_section(old, new, texts) + texts_section(texts) + builtins_section(old, new) + digests_section(old, new)
    return "\n".join(out).rstrip() + "\n"
