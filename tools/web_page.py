#!/usr/bin/env python3
"""Puts the playground together: the files of web/, weft.wasm, the editor from its package, and the kernels to choose from.

    tools/web_page.py build/web/weft.wasm build/playground"""

import argparse
import gzip
import json
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
CODEMIRROR = pathlib.Path("/usr/share/javascript/codemirror")
LICENCE = pathlib.Path("/usr/share/doc/libjs-codemirror/copyright")
OWN = ["index.html", "code.css", "playground.css", "code.js", "engine.js", "offline.js", "playground.js", "share.js", "verdict.js", "worker.js"]
MOST_BYTES = 3_000_000  # compressed, all files together


def examples():
    """The files of examples/, and the kernels of docs/explanation/gallery.md."""
    files = sorted((ROOT / "examples").glob("*.py"), key=lambda path: (path.name != "saxpy.py", path.name))
    yield {"title": "Examples", "kernels": [{"name": path.stem, "source": path.read_text()} for path in files]}
    gallery = (ROOT / "docs/explanation/gallery.md").read_text()
    found = re.findall(r"^## \d+\. `(\w+)` \((\w+);.*?```python\n(.*?)```", gallery, re.M | re.S)
    yield {
        "title": "Gallery",
        "kernels": [{"name": f"{name} ({category.replace('_', ' ')})", "source": f"import warp as wp\n\n\n{source}"} for name, category, source in found],
    }


def assemble(wasm, out):
    if not CODEMIRROR.is_dir():
        sys.exit("web_page.py: the editor is missing: apt-get install libjs-codemirror")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for name in OWN:
        shutil.copy(WEB / name, out / name)
    shutil.copy(wasm, out / "weft.wasm")
    (out / "weft.wasm").chmod(0o644)
    (out / "codemirror.js").write_text((CODEMIRROR / "lib/codemirror.js").read_text() + (CODEMIRROR / "mode/python/python.js").read_text())
    shutil.copy(CODEMIRROR / "lib/codemirror.css", out / "codemirror.css")
    shutil.copy(LICENCE, out / "codemirror-licence.txt")
    (out / "examples.json").write_text(json.dumps(list(examples()), ensure_ascii=False))


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("wasm", type=pathlib.Path)
    options.add_argument("out", type=pathlib.Path)
    given = options.parse_args()
    assemble(given.wasm, given.out)
    sizes = {path.name: len(gzip.compress(path.read_bytes(), 9)) for path in given.out.iterdir()}
    total = sum(sizes.values())
    print(f"{given.out}: {total / 1e6:.2f} MB compressed in all, weft.wasm {sizes['weft.wasm'] / 1e6:.2f} MB")
    return 0 if total <= MOST_BYTES else f"web_page.py: more than {MOST_BYTES / 1e6:.0f} MB"


if __name__ == "__main__":
    sys.exit(main())
