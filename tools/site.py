#!/usr/bin/env python3
"""The documentation as a small site: README.md and docs/**/*.md as plain HTML, with the playground in it, for any static host.

    tools/site.py build/playground build/site"""

import argparse
import html
import os
import pathlib
import re
import shutil
import sys

try:
    import markdown
except ImportError:
    if os.path.realpath(sys.executable) != os.path.realpath("/usr/bin/python3"):  # the system's, which has it as a package
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    sys.exit("site.py: apt-get install python3-markdown")

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{up}site.css">
</head>
<body>
<nav aria-label="Pages">{pages}</nav>
<main>{body}</main>
</body>
</html>
"""


def title_of(text, otherwise):
    found = re.search(r"^# (.+)$", text, re.M)
    return found.group(1).replace("`", "") if found else otherwise


def link(target, source, up, files):
    """The address of a link in the site, from the page made of the file `source`; None for files that the site leaves out."""
    path, _, place = target.partition("#")
    if re.match(r"[a-z]+:", target) or not path:
        return target
    full = os.path.normpath(os.path.join(os.path.dirname(source), path))
    if full not in files:
        return None
    return up + files[full] + (f"#{place}" if place else "")


def convert(text, source, up, files):
    body = markdown.markdown(text, extensions=["tables", "fenced_code", "toc", "sane_lists"], output_format="html")
    body = body.replace("<table>", '<div class="table"><table>').replace("</table>", "</table></div>")

    def replace(found):
        target = link(html.unescape(found.group(2)), source, up, files)
        return f'{found.group(1)}="{html.escape(target)}"' if target else 'class="elsewhere"'

    return re.sub(r'\b(href|src)="([^"]*)"', replace, body)


def navigation(titles, current, up):
    def item(path, title):
        mark = ' aria-current="page"' if path == current else ""
        return f'<li><a href="{up}{path}"{mark}>{html.escape(title)}</a></li>'

    pages = "".join(item(path, title) for path, title in titles.items())
    return f'<ul><li><a href="{up}playground/">Playground</a></li></ul><h2>Documentation</h2><ul>{pages}</ul>'


def build(playground, out):
    shutil.rmtree(out, ignore_errors=True)
    (out / "docs").mkdir(parents=True)
    shutil.copytree(playground, out / "playground")
    shutil.copy(ROOT / "web/site.css", out / "site.css")
    pages = sorted((ROOT / "docs").glob("**/*.md"), key=lambda path: (len(path.parts), path))
    sources = {"README.md": "index.html"} | {str(path.relative_to(ROOT)): str(path.relative_to(ROOT).with_suffix(".html")) for path in pages}
    others = {f"docs/{path.name}": f"docs/{path.name}" for path in (ROOT / "docs").iterdir() if path.suffix in (".png", ".json", ".py")}
    for path in others:
        shutil.copy(ROOT / path, out / path)
    texts = {page: (ROOT / source).read_text() for source, page in sources.items()}
    titles = {page: title_of(text, page) for page, text in texts.items()}
    for source, page in sources.items():
        up = "../" * page.count("/")
        body = convert(texts[page], source, up, sources | others)
        (out / page).parent.mkdir(parents=True, exist_ok=True)
        (out / page).write_text(PAGE.format(title=html.escape(titles[page]), up=up, pages=navigation(titles, page, up), body=body))
    return len(texts)


def broken_links(out):
    for page in out.glob("**/*.html"):
        if "playground" in page.parts:
            continue
        for target in re.findall(r'\b(?:href|src)="(?!data:)([^"#:]+)["#]', page.read_text()):
            if not (page.parent / target).exists():
                yield f"{page.relative_to(out)}: {target}"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("playground", type=pathlib.Path)
    options.add_argument("out", type=pathlib.Path)
    given = options.parse_args()
    count = build(given.playground, given.out)
    broken = list(broken_links(given.out))
    print(*broken, f"{given.out}: {count} pages and the playground, {len(broken)} broken links", sep="\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
