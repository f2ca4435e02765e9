#!/usr/bin/env python3
"""`weft extract --arch` against Warp: the text of tile kernels with code of the vendor's library, byte for byte.

    test_tiles_library.py            tests/tiles/library-VERSION.jsonl.zst, which Warp wrote, and what Warp writes now, where it is
                                     installed
    test_tiles_library.py --write    writes those files again

Only the library knows how much memory Fourier transforms take, and asking it takes long (tools/library_oracle.py --compile): their
text is in tests/tiles/library_compiled.jsonl.zst."""

import json
import os
import subprocess
import sys

import warp_env
import warp_oracle
import warp_package

ROOT = warp_env.ROOT
TILES = ROOT / "tests" / "tiles"
FILES = ["tiles_golden.py", "tiles_library.py"]
VERSIONS = ["1.16.0", "1.17.0", "1.18.0", "1.19.0"]
ASKED = ["1.16.0", "1.19.0"]
ARCHS, BLOCKS = [75, 90, 107, 130], [32, 64, 256]


def stored(path):
    text = subprocess.run(["zstd", "-dcq", path], stdout=subprocess.PIPE, check=True).stdout
    return [json.loads(line) for line in text.splitlines()]


def asked(version):
    """What the installed Warp of this version writes; None: there is none."""
    found = warp_package.find_warp(version)
    if not found:
        return None
    command = [found[0], ROOT / "tools" / "library_oracle.py", *FILES]
    command += ["--arch", *map(str, ARCHS), "--block-dim", *map(str, BLOCKS)]
    text = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=TILES, check=True).stdout
    return [json.loads(line) for line in text.splitlines()]


def extracted(version, file, arch, block_dim):
    command = [warp_env.WEFT, "extract", file, "--json", "--warp", version, "--block-dim", str(block_dim), "--arch", str(arch)]
    text = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=TILES).stdout
    return {record["kernel_key"]: record for record in map(json.loads, text.splitlines()) if "kernel_key" in record}


def text_of(record):
    text = "".join(record.get(f"cuda_{part}") or "" for part in ("prelude", "forward", "backward"))
    return warp_oracle.drop_preamble(warp_oracle.strip_comments(text))


def compare(version, rows):
    """(identical, refused by both, what is wrong)"""
    identical = refused = 0
    wrong, known = [], {}
    for row in rows:
        place = (row["file"], row["arch"], row["block_dim"])
        if place not in known:
            known[place] = extracted(version, *place)
        record = known[place].get(row["kernel"])
        name = f"{version} {row['kernel']} of {row['file']}, sm_{row['arch']}, blocks of {row['block_dim']}"
        if record is None:
            wrong.append(f"{name}: not listed")
        elif "error" in row or "error" in record:
            if ("error" in row) == ("error" in record):
                refused += 1
            else:
                wrong.append(f"{name}: Warp says {row.get('error')!r}, weft {record.get('error')}")
        elif (record["full_name"], text_of(record)) == (row["name"], row["cuda"]):
            identical += 1
        else:
            wrong.append(f"{name}: different")
    return identical, refused, wrong


def write(version):
    rows = asked(version)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    subprocess.run(["zstd", "-19", "-qfo", TILES / f"library-{version}.jsonl.zst"], input=text.encode(), check=True)


def main():
    os.chdir(TILES)
    failed = False
    for version in VERSIONS:
        if "--write" in sys.argv:
            write(version)
        compiled = [row for row in stored(TILES / "library_compiled.jsonl.zst") if row["warp"] == version]
        sources = [("stored", stored(TILES / f"library-{version}.jsonl.zst") + compiled)]
        if version in ASKED:
            sources.append(("asked now", asked(version)))
        for name, source in sources:
            if source is None:
                print(f"Warp {version} is not installed, and not asked")
                continue
            identical, refused, wrong = compare(version, source)
            print(f"Warp {version}, {name}: {identical} texts identical, {refused} refused by both, {len(wrong)} wrong")
            for line in wrong[:20]:
                print("    " + line)
            failed |= bool(wrong) or identical < 300
    sys.exit(failed)


if __name__ == "__main__":
    main()
