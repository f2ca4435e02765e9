#!/usr/bin/env python3
"""Whatever is changed in a data set, `weft validate` finds it: every field of the manifest, the statistics and the card, every kind
of edit of 100 records, and every order of them.

Edits are forged, too: hashes, sizes and the manifest's seal are made to fit, so that only the meaning is wrong.
Every kind of field of the manifest and every field of records gets one other value; of the statistics, lines and bits some are tried. With
WEFT_ALL=1 every field gets up to three, all lines and more bits are tried, and the sets have twice as many records."""

import json
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile
import time

from sets import check, contents, copy, edit_manifest, finish, forge, need_weft, parts, produce, read_records, sealed, weft, write_records

RNG = random.Random(int(os.environ.get("WEFT_SEED", "20")))
ALL = os.environ.get("WEFT_ALL") == "1"
SMALL = ["-n", "16" if ALL else "8", "--splits", "60,20,20", "--no-compress", "--full", "--shard-rows", "6" if ALL else "3", "--checkpoint", "4", "-s", "9"]
PLAIN, SMALL = [*SMALL, "--no-verify"], [*SMALL, "-n", "5", "--launches", "0"]  # what is not run is quicker to validate
LARGE = ["-n", "200" if ALL else "100", "--splits", "60,20,20", "--no-compress", "--full", "--shard-rows", "50", "-s", "21", "--launches", "1"]
found = 0

TEXTS = ["kernel_name", "python_source", "cuda_includes", "cuda_forward", "cuda_backward", "id", "category"]
META = ["mangled_name", "description", "instruction", "difficulty", "algorithm", "structure_hash", "masked_structure_hash", "warp_version", "weft_version", "device", "license"]
COLUMNS = list(json.loads((pathlib.Path(__file__).resolve().parents[2] / "docs" / "record.schema.json").read_text())["properties"])


def must_find(folder, what, sample=0):
    """Exit code 1 and something said about it."""
    global found
    done = weft("validate", "-i", folder, "-j", 1, "--messages", 1000, "--sample", sample)
    if check(done.returncode == 1 and done.stderr, f"not found: {what} ({done.returncode})"):
        found += 1
    return done.stderr


# ---- every field ----


def odd_values(text):
    """What a field could be instead, as JSON text."""
    value = json.loads(text)
    if isinstance(value, bool):
        values = ["false" if value else "true", "null"]
    elif isinstance(value, (int, float)):
        values = [json.dumps(value + 1), json.dumps(value - 1) if value else "7", json.dumps(value * 2 + 3)]
    else:
        values = [json.dumps(flip(value)), json.dumps(value + "x"), '""']
    return values if ALL else [RNG.choice(values)]


def some(items, count):
    """So many of them, in their order; all with WEFT_ALL=1."""
    items = list(items)
    return items if ALL or len(items) <= count else sorted(RNG.sample(items, count))


LEAF = re.compile(r'(?<=[:\[ ])(-?\d+(?:\.\d+)?|true|false|null|"(?:[^"\\]|\\.)*")(?=[,\]}\n])')


def leaves(text):
    return [match.span() for match in LEAF.finditer(text)]


def kind_of(text, start):
    """The field that a value of the manifest belongs to: those of lists, of shards, and of tables by name have many of a kind."""
    depth = at = 0
    for at in range(start - 1, -1, -1):
        depth += (text[at] in "]}") - (text[at] in "[{")
        if depth < 0:
            break
    owner = re.search(r'"(\w+)": $', text[:at])
    name = re.search(r'"(\w+)": $', text[:start])
    return owner and owner[1] not in ("options", "counters") and owner[1] or name[1]


def of_kinds(text, spans, most):
    """At most so many of each kind; all with WEFT_ALL=1."""
    seen, chosen = {}, []
    for span in RNG.sample(spans, len(spans)):
        kind = kind_of(text, span[0])
        seen[kind] = seen.get(kind, 0) + 1
        if ALL or seen[kind] <= most:
            chosen.append(span)
    return sorted(chosen)


def test_manifest(clean, folder):
    """Every value, key and line; with the seal that was, and with one that fits."""
    text = (clean / "manifest.json").read_text()
    path = folder / "manifest.json"
    end = text.index('"sha256"')
    equal = set()
    chosen = of_kinds(text, leaves(text), 2)
    for start, stop in leaves(text):
        for value in odd_values(text[start:stop]):
            changed = text[:start] + value + text[stop:]
            what = f"manifest: ...{text[max(0, start - 40):start]} {value[:40]}"
            path.write_text(changed)
            done = weft("stats", folder)  # whoever reads it at all finds it
            check(done.returncode == 1 and "damaged" in done.stderr, f"not found without a seal: {what}")
            if start < end and (start, stop) in chosen:
                path.write_text(sealed(changed))
                if weft("validate", folder, "-j", 1, "--sample", 0).returncode == 0:
                    equal.add(re.search(r'"(\w+)": \[?[^"]*$', text[:start])[1])
                    check_equal(folder, changed, what)
                else:
                    global found
                    found += 1
    # Where checkpoints were leaves no trace in plain files, and a share that is slightly another one may choose the same: then
    # the set is just what a run with that option writes, and that was tried.
    names = set(json.loads(text)["options"]["categories"]) | {"checkpoint_rows", "splits"}
    check(equal <= names and "checkpoint_rows" in equal, f"these fields of the manifest can be changed: {equal - names}")
    lines = text.splitlines(True)
    for i in some(range(len(lines)), 10):
        for what, changed in (("line gone", lines[:i] + lines[i + 1 :]), ("line twice", lines[:i] + [lines[i]] + lines[i:])):
            path.write_text(sealed("".join(changed)) if i < len(lines) - 2 else "".join(changed))
            must_find(folder, f"manifest: {what}: {lines[i][:40]}")
    for i in range(30 if ALL else 10):
        data = bytearray(text.encode())
        data[RNG.randrange(len(data))] ^= 1 << RNG.randrange(8)
        path.write_bytes(data)
        must_find(folder, f"manifest: bit {i}")
    path.write_text(text)


def check_equal(folder, text, what):
    """A manifest that is taken must be the one of a run with its options."""
    options = json.loads(text)["options"]
    other = folder.parent / "with other options"
    shutil.rmtree(other, ignore_errors=True)
    done = produce(other, *PLAIN, "--checkpoint", options["checkpoint_rows"], "--splits", ",".join(map(str, options["splits"])),
                   "-c", ",".join(f"{name}={weight}" for name, weight in options["categories"].items()))
    check(done.returncode == 0, done.stderr)
    check(contents(other) == contents(folder), f"taken, but no run writes it: {what}")


def test_companions(clean, folder):
    """stats.json, README.md and LICENSE: every value, line, and some bits of them."""
    for name in ("stats.json", "README.md", "LICENSE"):
        text, path = (clean / name).read_text(), folder / name
        for start, stop in some(leaves(text), 24) if name == "stats.json" else []:
            for value in odd_values(text[start:stop]):
                path.write_text(text[:start] + value + text[stop:])
                must_find(folder, f"{name}: {text[max(0, start - 30):start]} {value}")
        lines = text.splitlines(True)
        for i in some(range(len(lines)), 4):
            path.write_text("".join(lines[:i] + lines[i + 1 :]))
            must_find(folder, f"{name}: line {i} is gone")
            path.write_text("".join(lines[:i] + [flip(lines[i][:-1]) + "\n" if lines[i].strip() else " \n"] + lines[i + 1 :]))
            must_find(folder, f"{name}: line {i} is another")
        for i in range(10 if ALL else 2):
            data = bytearray(text.encode())
            data[RNG.randrange(len(data))] ^= 1 << RNG.randrange(8)
            path.write_bytes(data)
            must_find(folder, f"{name}: bit {i}")
            done = produce(folder, *SMALL, "--resume")
            check(done.returncode == 1 and name in done.stderr, f"{name}: --resume of the finished set does not see bit {i}: {done.stderr}")
        for change in (b"", text.encode() + b"\n"):
            path.write_bytes(change)
            must_find(folder, f"{name}: {len(change)} bytes")
        path.unlink()
        must_find(folder, f"{name} is gone")
        path.write_text(text)


# ---- every kind of edit ----


def flip(text):
    """One bit of one character, such that it stays text."""
    for _ in range(1000):
        at = RNG.randrange(len(text))
        flipped = chr(ord(text[at]) ^ (1 << RNG.randrange(5)))
        if flipped.isprintable() and flipped != text[at]:
            return text[:at] + flipped + text[at + 1 :]
    raise AssertionError(text)


def kinds_of_edits(columns):
    """(name, function that changes a record with these columns)."""

    def on(name, change):
        return name, change

    def set_to(*path_and_value):
        *path, key, value = path_and_value

        def change(record):
            for part in path:
                record = record[part]
            record[key] = value(record[key]) if callable(value) else value

        return change

    def swap(a, b):
        def change(record):
            record[a], record[b] = record[b], record[a]

        return change

    def remove(*path):
        def change(record):
            for part in path[:-1]:
                record = record[part]
            del record[path[-1]]

        return change

    for field in TEXTS:
        for k in range(18 if field in ("python_source", "cuda_forward", "cuda_backward") else 3):
            yield on(f"flip {field} {k}", set_to(field, flip))
    for field in META:
        for k in range(3):
            yield on(f"flip {field} {k}", set_to(field, flip))
    for a, b in (("cuda_forward", "cuda_backward"), ("kernel_name", "category"), ("python_source", "cuda_forward"), ("id", "kernel_name")):
        yield on(f"swap {a} {b}", swap(a, b))
    for field in columns:
        yield on(f"remove {field}", remove(field))
        yield on(f"null {field}", set_to(field, lambda value: None if value is not None else 1))
    for field in ("format_version", "seed", "index", "forward_lines", "backward_lines", "row"):
        yield on(f"one more {field}", set_to(field, lambda n: n + 1))
    yield on("forward fails", set_to("forward_verdict", "fail"))
    yield on("gradient turned", set_to("gradient_verdict", lambda g: "no_gradient" if g == "pass" else "pass"))
    yield on("prior turned", set_to("output_gradient_verdict", lambda g: "no_gradient" if g == "pass" else "pass"))
    yield on("another error", set_to("gradient_error", 0.5))
    yield on("no backward", set_to("has_backward", False))
    yield on("backward left out", remove("cuda_backward"))
    yield on("category of another", set_to("category", lambda c: "ml" if c != "ml" else "fem"))
    yield on("unknown category", set_to("category", "poetry"))
    yield on("a new field", lambda r: r.update(extra=1))
    yield on("dim changed", set_to("launch_dim", lambda d: [d[0] + 1, *d[1:]]))
    yield on("argument renamed", set_to("arguments", 0, "name", "zzz"))
    yield on("argument dropped", set_to("arguments", lambda a: a[1:]))
    yield on("a number as a text", set_to("arguments", 0, "sorted", "no"))
    yield on("another line", set_to("line_map", 0, "first_line", lambda n: n + 1))
    yield on("a line as a float", set_to("line_map", 0, "last_line", float))
    yield on("another law", set_to("plan", "laws", lambda laws: [*laws, "gravity"]))
    yield on("fields in another order", lambda r: r.update(id=r.pop("id")))
    yield on("a comment added", set_to("python_source", lambda s: s + "# more\n"))
    yield on("a line lost", set_to("cuda_forward", lambda s: "\n".join(s.split("\n")[:-4])))
    yield on("no grid-stride loop", set_to("cuda_forward", lambda s: s.replace("gridDim.x", "1")))
    yield on("no thread index", set_to("cuda_forward", lambda s: s.replace("threadIdx.x", "0")))
    yield on("a bracket lost", set_to("cuda_forward", lambda s: s.replace("}", "", 1)))
    yield on("empty source", set_to("python_source", ""))
    def first_float(change_number):
        def change(rows):
            row = next(row for row in rows if row["floats"])
            row["floats"][0] = change_number(row["floats"][0])
            return rows

        return change

    for part in ("inputs", "outputs", "output_gradients", "gradients"):
        yield on(f"another number in {part}", set_to("launches", 0, part, first_float(lambda n: n + 1)))
        yield on(f"a last digit in {part}", set_to("launches", 0, part, first_float(lambda n: n * (1 + 1e-6) + 1e-6)))
        yield on(f"remove launches.{part}", remove("launches", 0, part))
        yield on(f"integers as {part}", set_to("launches", 0, part, first_float(int)))
    yield on("a larger tolerance", set_to("launches", 0, "outputs", 0, "tolerance", lambda t: 2 * (t or 1.0)))
    yield on("a launch of another size", set_to("launches", 0, "dim", lambda d: [d[0] + 1, *d[1:]]))
    yield on("no launch", set_to("launches", []))
    yield on("the hash of another", set_to("structure_hash", "0" * 32))


def test_records(clean, folder):
    """Every kind of edit, each in a record or several, many at once: each of those records must be named, and no other."""
    global found
    shards = sorted(clean.glob("*.jsonl"))
    edits = list(kinds_of_edits(read_records(shards[0])[0]))
    rows = [record["row"] for shard in shards for record in read_records(shard)]
    check(len(rows) == int(LARGE[1]), f"{len(rows)} records")
    # A record that has lost its row cannot be named; and it may get that of another one. Each of those edits is tried alone.
    of_ids = [edit for edit in edits if re.search(r"\brow\b", edit[0])]
    done, queue = {name for name, _ in of_ids}, [edit for edit in edits for _ in range(4 if ALL else 1) if edit not in of_ids]
    RNG.shuffle(queue)
    rounds = 0
    while queue and rounds < 40:
        copy(clean, folder)
        edited, left = {}, []
        for shard in sorted(folder.glob("*.jsonl")):
            records = read_records(shard)
            for record in records:
                if not queue or RNG.random() < 0.1 or record["cuda_backward"] is None or record["gradient_verdict"] != "pass":
                    continue
                name, change = queue.pop()
                before, was = json.dumps(record), record["row"]
                try:
                    change(record)
                except (KeyError, IndexError, StopIteration):  # this record lacks what is to be changed; nothing of the edit stays
                    record.clear()
                    record.update(json.loads(before))
                    left.append((name, change))
                    continue
                if json.dumps(record) == before:
                    continue
                edited[was] = name
                done.add(name)
            write_records(shard, records)
        forge(folder)
        said = must_find(folder, f"{len(edited)} edits", sample=100)
        named = {int(row) for row in re.findall(r"^row (\d+): ", said, re.M)}
        check(named == set(edited), f"not found: { {i: edited[i] for i in set(edited) - named} }; named without an edit: {named - set(edited)}")
        for row, what in re.findall(r"^row (\d+): (.*)", said, re.M):  # what is missing is named, not only that something is
            kind, _, field = edited.get(int(row), "").partition(" ")
            if kind in ("remove", "null") and field in COLUMNS:
                check(field in what or "promised columns are missing" in what, f"{kind} {field}: {what}")
        found += len(edited) - 1
        rounds += 1
        queue += left if rounds < 10 else []
    for name, change in of_ids * 2:
        copy(clean, folder)
        shard = RNG.choice(sorted(folder.glob("*.jsonl")))
        records = read_records(shard)
        change(RNG.choice(records))
        write_records(shard, records)
        forge(folder)
        must_find(folder, name)
    check(len(done) == len({name for name, _ in edits}), f"edits that were never tried: {sorted({n for n, _ in edits} - done)}")
    print(f"{len(done)} kinds of edits of records, {rounds} rounds")


# ---- every order ----


def numbered(records, first):
    return [record | {"row": first + i} for i, record in enumerate(records)]


def orders(lines):
    """All neighbours swapped, ends swapped, reversed, rotated, shuffled."""
    for i in range(len(lines) - 1):
        yield f"{i} and {i + 1} swapped", lines[:i] + [lines[i + 1], lines[i]] + lines[i + 2 :]
    yield "reversed", lines[::-1]
    for k in range(1, len(lines)):
        yield f"rotated by {k}", lines[k:] + lines[:k]
    for i in range(len(lines)):
        yield f"{i} twice", lines[: i + 1] + lines[i:]
        yield f"{i} gone", lines[:i] + lines[i + 1 :]


def test_orders(clean, folder):
    shards = sorted(clean.glob("*.jsonl"))
    for shard in shards:
        lines = shard.read_text().splitlines(True)
        for what, changed in orders(lines):
            if changed == lines:
                continue
            (folder / shard.name).write_text("".join(changed))
            if ALL or what == "0 twice":  # the hash is another one, whatever was changed
                must_find(folder, f"{shard.name}: {what}")
            forge(folder)
            must_find(folder, f"{shard.name}: {what}, forged")
            # The rows put in order again: the records are then not those of their rows.
            rows = [re.match(r'\{"row": (\d+)', line)[1] for line in lines]
            if len(changed) == len(lines):
                relabelled = [re.sub(r'^\{"row": \d+', f'{{"row": {row}', line) for row, line in zip(rows, changed)]
                (folder / shard.name).write_text("".join(relabelled))
                forge(folder)
                must_find(folder, f"{shard.name}: {what}, with rows in order")
        copy(clean, folder)
    for one in shards:  # from one file to another
        for two in shards:
            if one == two or (one > two and not ALL):
                continue
            lines, others = one.read_text().splitlines(True), two.read_text().splitlines(True)
            (folder / one.name).write_text("".join(lines[1:]))
            (folder / two.name).write_text("".join(sorted([*others, lines[0]])))
            forge(folder)
            must_find(folder, f"a record of {one.name} in {two.name}")
            (folder / one.name).write_text("".join(others))
            (folder / two.name).write_text("".join(lines))
            forge(folder)
            must_find(folder, f"{one.name} and {two.name} swapped")
            copy(clean, folder)
    text = (clean / "manifest.json").read_text()
    entries = re.findall(r'\{"file": .*?\}', text)
    for i in range(len(entries) - 1):
        swapped = text.replace(entries[i], "@").replace(entries[i + 1], entries[i]).replace("@", entries[i + 1])
        (folder / "manifest.json").write_text(sealed(swapped))
        must_find(folder, f"shards {i} and {i + 1} of the manifest swapped")
    copy(clean, folder)


def test_files(clean, folder):
    shards = sorted(clean.glob("*.jsonl"))
    for shard in shards:
        data = shard.read_bytes()
        copy(clean, folder)
        (folder / shard.name).unlink()
        must_find(folder, f"{shard.name} is gone")
        if shard not in (shards[0], shards[-1]) and not ALL:
            continue
        for what, changed in (("truncated", data[:-100]), ("without its last line end", data[:-1]), ("empty", b""), ("with a blank line", data + b"\n"),
                              ("with a byte more", data + b"x"), ("with other line ends", data.replace(b"\n", b"\r\n"))):
            for forged in (False, True):
                copy(clean, folder)
                (folder / shard.name).write_bytes(changed)
                if forged:
                    forge(folder)
                said = must_find(folder, f"{shard.name} {what}{', forged' if forged else ''}")
                check(forged or shard.name in said, f"{shard.name} {what}: its name is not said: {said}")
                if not forged:
                    done = produce(folder, *PLAIN, "--resume")
                    check(done.returncode == 1, f"--resume of the finished set takes {shard.name} {what}")
        for k in range(12 if ALL else 2):
            flipped = bytearray(data)
            flipped[RNG.randrange(len(data))] ^= 1 << RNG.randrange(8)
            copy(clean, folder)
            (folder / shard.name).write_bytes(flipped)
            done = produce(folder, *PLAIN, "--resume")
            check(done.returncode == 1 and "was changed" in done.stderr, f"--resume of the finished set does not see bit {k} of {shard.name}")
            said = must_find(folder, f"bit {k} of {shard.name}")
            check(f"{shard.name}: its bytes are not those of the manifest\n" in said, f"bit {k} of {shard.name}: {said}")
            forge(folder)
            must_find(folder, f"bit {k} of {shard.name}, forged")
    copy(clean, folder)
    for name in ("train-00077-of-00078.jsonl", "notes.txt", "manifest.json.tmp", "pending-7.jsonl"):
        (folder / name).write_text("")
        must_find(folder, f"a foreign file {name}")
        (folder / name).unlink()


def main():
    tests = parts.chosen(test_manifest, test_companions, test_records, test_orders, test_files)
    need_weft()
    with tempfile.TemporaryDirectory(prefix="weft-corrupt-") as name:
        work = pathlib.Path(name)
        small, plain, large = work / "small", work / "plain", work / "large"
        sets = {small: SMALL, plain: PLAIN, large: LARGE}
        cleans = {test_companions: small, test_records: large}
        for folder in {cleans.get(test, plain): None for test in tests}:
            check(produce(folder, *sets[folder]).returncode == 0, "produce")
            done = weft("validate", "-i", folder)
            check(done.returncode == 0, f"the clean set: {done.stderr}")
        for test in tests:
            clean, started = cleans.get(test, plain), time.time()
            test(clean, copy(clean, work / "corrupt"))
            print(f"{test.__name__}: {found} found until here, {time.time() - started:.1f} s", flush=True)
    check(found > (1000 if ALL else 300) or len(tests) < 5, f"only {found} corruptions were found")
    return finish(f"{found} corruptions found")


if __name__ == "__main__":
    sys.exit(main())
