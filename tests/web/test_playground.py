#!/usr/bin/env python3
"""The playground in headless Chromium: types a kernel and reads the CUDA, sees an error under its line, hovers and finds the marked lines,
switches tabs and versions, shares and reopens a link; shows markup as text; sends nothing anywhere; works by keyboard and without a network.

    tests/web/test_playground.py                 once
    tests/web/test_playground.py --all           also with the processor slowed four times, with axe-core, and with figures
    tests/web/test_playground.py --pictures DIR  writes the pictures of docs/ instead"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

import axe
import browser

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
PAGE = pathlib.Path(os.environ.get("WEFT_BUILD", ROOT / "build")) / "playground"
EDITOR = "document.querySelector('.CodeMirror').CodeMirror"

KERNEL = """import warp as wp


@wp.kernel
def wave(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = wp.sin(x[i])
"""
HOSTILE = '''import warp as wp

# <script>window.attacked = 1</script><img src=x onerror="window.attacked = 2">
TEXT = "</pre><svg onload=window.attacked=3>"


@wp.kernel
def script(x: wp.array(dtype=float)):
    """<b onmouseover='window.attacked = 4'>bold</b>"""
    i = wp.tid()
    print("<img src=x onerror=window.attacked=5>")
    x[i] = wp.no_such_function("<i>")


@wp.kernel
def img_src_x(x: wp.array(dtype=float)):
    i = wp.tid()
    print("<img src=x onerror=window.attacked=6>")
    x[i] = 2.0
'''


class Playground:
    def __init__(self, page, url):
        self.page, self.url, self.wrong = page, url, []

    def expect(self, truth, what):
        if not truth:
            self.wrong.append(what)

    def open(self, address=""):
        self.page.open("about:blank")
        self.page.open(self.url + "/" + address)
        self.page.wait("document.documentElement.dataset.compiled > 0", 60)

    def after(self, action, seconds=30):
        """Does something, and waits until the page has compiled once more."""
        before = self.page.run("Number(document.documentElement.dataset.compiled)")
        action()
        self.page.wait(f"document.documentElement.dataset.compiled > {before}", seconds)

    def put(self, text):
        self.after(lambda: self.page.run(f"{EDITOR}.setValue({json.dumps(text)})"))

    def tab(self, name):
        self.after(lambda: self.page.run(f"document.getElementById('tab-{name}').click()"))
        return self.page.run("document.getElementById('panel').textContent")

    def choose(self, select, value):
        self.page.run(f"(() => {{ const s = document.getElementById('{select}'); s.value = {json.dumps(value)}; s.dispatchEvent(new Event('change')); }})()")


def command_text(source, version, *texts):
    done = subprocess.run([WEFT, "extract", "-", "--json", "-d", "both", "--warp", version], input=source, capture_output=True, text=True)
    record = json.loads(done.stdout.splitlines()[0])
    return "".join(record.get(text, "") for text in texts)


def type_kernel(p):
    """Key by key, as a person does."""
    page = p.page
    page.run(f"{EDITOR}.setValue(''); {EDITOR}.focus()")
    for part in ("import warp as wp\n\n\n", "@wp.kernel\ndef wave(x: wp.array(dtype=float), y: wp.array(dtype=float)):\n", "    i = wp.tid()\n", "y[i] = wp.sin(x[i])\n"):
        for piece in part.splitlines(keepends=True):
            page.type(piece.rstrip("\n"))
            if piece.endswith("\n"):
                page.key("Enter", number=13)
    page.wait("document.getElementById('panel').textContent.includes('wave_')")
    page.wait("document.getElementById('panel').textContent.includes('wp::sin')")
    text = page.run(f"{EDITOR}.getValue()")
    panel = page.run("document.getElementById('panel').textContent")
    p.expect(panel.rstrip("\n") == command_text(text, "1.19.0", "cuda_prelude", "cuda_forward").rstrip("\n"), "typed: the CUDA is not that of weft extract")


def see_error(p):
    p.put(KERNEL.replace("wp.sin(", "wp.sinn("))
    box = p.page.run("(() => { const b = document.querySelector('.problem'); return {text: b.innerText, line: b.dataset.line, top: b.getBoundingClientRect().top}; })()")
    line = p.page.run(f"{EDITOR}.charCoords({{line: 6, ch: 0}}, 'window')")
    p.expect(box["line"] == "7" and "no builtin or Warp function 'wp.sinn'" in box["text"] and "did you mean wp.sin?" in box["text"], f"error: {box}")
    p.expect(abs(box["top"] - line["bottom"]) < 3, "error: it is not under its line")
    caret = p.page.run("document.querySelector('.problem pre').textContent")
    p.expect(caret == " " * 11 + "^", f"error: the caret is {caret!r}")
    p.put(KERNEL)
    p.expect(p.page.run("document.querySelectorAll('.problem').length") == 0, "error: it stays")


def hover(p):
    p.put(KERNEL)
    p.tab("cuda")
    at = p.page.run(f"{EDITOR}.charCoords({{line: 6, ch: 8}}, 'window')")
    p.page.mouse(at["left"], (at["top"] + at["bottom"]) / 2)
    marked = p.page.run("[...document.querySelectorAll('#panel .line.marked')].map(l => l.textContent).join('')")
    p.expect("wp::sin(" in marked and "array_store" in marked and "builtin_tid1d" not in marked, f"hover on the left marks {marked!r}")
    spot = p.page.run("(() => { const l = [...document.querySelectorAll('#panel .line')].find(l => l.textContent.includes('builtin_tid1d')).getBoundingClientRect(); return [l.left + 60, l.top + 5]; })()")
    p.page.mouse(*spot)
    lines = p.page.run(f"(() => {{ const found = []; {EDITOR}.eachLine(l => {{ if ((l.bgClass || '').includes('marked')) found.push({EDITOR}.getLineNumber(l) + 1); }}); return found; }})()")
    p.expect(lines == [6], f"hover on the right marks lines {lines}")


def tabs_and_versions(p):
    p.put(KERNEL)
    for tab, texts in (("backward", ["cuda_backward"]), ("cpp", ["cpp_prelude", "cpp_forward", "cpp_backward"]), ("cuda", ["cuda_prelude", "cuda_forward"])):
        p.expect(p.tab(tab).rstrip("\n") == command_text(KERNEL, "1.19.0", *texts).rstrip("\n"), f"tab {tab}: not the text of weft extract")
    p.expect("__global__ void" in p.tab("readable") and "sinf(" in p.tab("readable"), "tab readable")
    p.expect("sin" in p.tab("tree"), "tab tree")
    p.tab("verdict")
    p.page.wait("document.getElementById('panel').textContent.includes(\"Warp's gradient is right\")")
    p.tab("cuda")
    for version in ("1.16.0", "1.19.0"):
        p.after(lambda: p.choose("warp", version))
        panel = p.page.run("document.getElementById('panel').textContent")
        p.expect(panel.rstrip("\n") == command_text(KERNEL, version, "cuda_prelude", "cuda_forward").rstrip("\n"), f"Warp {version}: not the text of weft extract")


def wrong_gradient(p):
    p.put(KERNEL.replace("wp.sin(x[i])", "y[i] * y[i] * x[i]"))
    p.tab("verdict")
    p.page.wait("document.querySelector('.headline.wrong') !== null")
    p.expect(p.page.run("document.getElementById('tab-verdict').dataset.sign") == "✗", "verdict: no sign at the tab")


def share(p):
    source = KERNEL + "\n# räksmörgås 汉字\n"
    p.put(source)
    p.after(lambda: p.choose("warp", "1.17.0"))
    p.tab("backward")
    p.page.run("document.getElementById('share').click()")
    p.page.wait("/link/.test(document.getElementById('status').textContent)")
    address = p.page.run("location.href").split("/", 3)[3]
    p.open(address)
    p.expect(p.page.run(f"{EDITOR}.getValue()") == source, "share: another text")
    p.expect(p.page.run("document.getElementById('warp').value") == "1.17.0", "share: another version")
    p.expect(p.page.run("document.getElementById('tab-backward').getAttribute('aria-selected')") == "true", "share: another tab")
    for broken in ("#code=%00%ff", "#code=AAAA&tab=none&warp=9", "#warp=<script>&code=" + "A" * 5000):
        p.open(broken)
        p.expect("saxpy" in p.page.run(f"{EDITOR}.getValue()"), f"share: {broken[:20]} does not give the first example")


def invent(p):
    p.open()
    p.page.run("document.getElementById('category').value = 'physics'; document.getElementById('seed').value = 3")
    p.after(lambda: p.page.run("document.querySelector('#invent button').click()"))
    done = subprocess.run([WEFT, "synth", "-s", "3", "-c", "physics"], capture_output=True, text=True).stdout
    p.expect(p.page.run(f"{EDITOR}.getValue()").strip() == done.strip(), "invent: not what weft synth invents")
    p.after(lambda: p.choose("example", "Gallery/3"))
    p.expect(p.page.run("document.querySelectorAll('.problem').length") == 0, "a kernel of the gallery is refused")


def hostile(p):
    p.put(HOSTILE)
    for tab in ("cuda", "backward", "cpp", "readable", "tree", "verdict"):
        p.tab(tab)
    time.sleep(0.5)
    p.expect(p.page.run("typeof window.attacked") == "undefined", "markup of a kernel was executed")
    p.expect(p.page.run("document.querySelectorAll('#panel img, #panel script, .problem i, #editor svg').length") == 0, "markup of a kernel became elements")
    p.tab("cuda")
    p.expect("<img src=x onerror=window.attacked=6>" in p.page.run("document.getElementById('panel').textContent"), "markup is not shown as text")


def deep(p):
    p.put("import warp as wp\n\n\n@wp.kernel\ndef f(x: wp.array(dtype=float)):\n    x[0] = " + "-" * 20000 + "1.0\n")
    p.expect(p.page.run("document.querySelectorAll('.problem').length") == 1, "deep nesting: no error")
    p.put(KERNEL)
    p.expect("wave_" in p.tab("cuda"), "after deep nesting nothing compiles")


def keyboard(p):
    page = p.page
    page.run("document.getElementById('tab-cuda').focus()")
    page.key("ArrowRight", number=39)
    p.expect(page.run("document.activeElement.id") == "tab-backward", "keyboard: arrows do not switch tabs")
    page.run(f"{EDITOR}.focus()")
    page.key("Escape", number=27)
    page.key("Tab", number=9)
    p.expect(not page.run("document.activeElement.closest('.CodeMirror')"), "keyboard: Escape and Tab do not leave the editor")


def offline(p):
    p.open()
    p.page.wait("navigator.serviceWorker.ready.then(() => true)")
    p.page.wait("navigator.serviceWorker.controller !== null")
    p.page.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
    before = len(p.page.problems)
    p.open("?again")
    p.expect("saxpy" in p.page.run("document.getElementById('panel').textContent"), "offline: nothing is shown")
    del p.page.problems[before:]  # requests that the page answers from its copy are logged as failed
    p.page.call("Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1)


def session(p):
    p.open()
    for step in (type_kernel, see_error, hover, tabs_and_versions, wrong_gradient, hostile, deep, keyboard, share, invent):
        step(p)
    p.expect(not p.page.problems, f"the console: {p.page.problems[:3]}")
    foreign = [url for url in p.page.requests if not url.startswith((p.url, "about:", "data:", "blob:"))]
    p.expect(not foreign, f"requests to others: {foreign[:3]}")


def figures(p):
    """From the start of the navigation to the first text, and from a change to its text, each the median of some."""
    first, again = [], []
    for _ in range(5):
        p.open()
        first.append(p.page.run("performance.getEntriesByName('first-result')[0].startTime"))
    kernels = p.page.run("fetch('examples.json').then(r => r.json()).then(g => g[1].kernels.map(k => k.source))")
    for source in kernels:
        p.put(source)
        p.after(lambda: p.page.run(f"{EDITOR}.replaceRange('#', {{line: {EDITOR}.lastLine(), ch: 0}})"))
        again.append(p.page.run("[Number(document.documentElement.dataset.compileMs), Number(document.documentElement.dataset.roundMs)]"))
    print(f"from load to first result: {statistics.median(first):.0f} ms; recompiling a kernel of the gallery: median "
          f"{statistics.median(a for a, _ in again):.1f} ms in weft, {statistics.median(b for _, b in again):.1f} ms until it is shown")


def pictures(p, folder):
    for name, width, height, dark, phone in (("light", 1240, 740, False, False), ("dark", 1240, 740, True, False), ("phone", 390, 844, False, True)):
        p.page.size(width, height, phone)
        p.page.dark(dark)
        p.open()
        p.after(lambda: p.choose("example", "Examples/1"))
        p.tab("backward" if dark else "cuda")
        at = p.page.run(f"{EDITOR}.charCoords({{line: 16, ch: 8}}, 'window')")
        p.page.run("document.activeElement.blur()")
        p.page.mouse(at["left"], (at["top"] + at["bottom"]) / 2)
        time.sleep(0.8)
        p.page.picture(folder / f"playground-{name}.png")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--all", action="store_true")
    options.add_argument("--pictures", type=pathlib.Path)
    given = options.parse_args()
    if not (PAGE / "weft.wasm").exists() or not browser.CHROMIUM:
        print("skipped: Chromium is missing" if browser.CHROMIUM is None else "skipped: the playground is not built (make web)")
        return 77
    with browser.file_server(PAGE) as url, browser.chromium() as new_page:
        p = Playground(new_page(), url)
        p.page.size(1280, 800)
        if given.pictures:
            pictures(p, given.pictures)
            return 0
        session(p)
        if given.all:
            offline(p)
            figures(p)
            p.wrong += axe.problems(p.page, ["light", "dark"])
            p.page.slow(4)
            session(p)
    print(*p.wrong, f"{len(p.wrong)} things wrong", sep="\n")
    return 1 if p.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
