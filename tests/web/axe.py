"""axe-core, which finds what keeps people from using a page; from PyPI, for the tests alone."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ENVIRONMENT = pathlib.Path(os.environ.get("WEFT_BUILD", ROOT / "build")) / "venv-axe"


def script():
    """The text of axe.min.js; None: it cannot be had."""
    if not ENVIRONMENT.exists():
        made = subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT], capture_output=True)
        if made.returncode or subprocess.run([ENVIRONMENT / "bin/pip", "install", "-q", "axe-core-python==0.1.0"], capture_output=True).returncode:
            return None
    found = sorted(ENVIRONMENT.rglob("axe.min.js"))
    return found[0].read_text() if found else None


def problems(page, themes):
    """What is serious or critical, in each theme."""
    text = script()
    if not text:
        print("axe-core cannot be had: accessibility is not checked")
        return []
    page.call("Page.setBypassCSP", enabled=True)
    page.run(text + ";0")
    wrong = []
    for theme in themes:
        page.run(f"document.documentElement.dataset.theme = '{theme}'")
        page.run("new Promise(resolve => setTimeout(resolve, 300))")
        found = page.run("axe.run().then(r => r.violations.map(v => [v.impact, v.id, v.nodes.length, v.nodes[0].html.slice(0, 120), v.nodes[0].failureSummary]))")
        for violation in found:
            print("axe:", theme, *violation[:4])
        wrong += [f"axe, {theme}: {violation}" for violation in found if violation[0] in ("serious", "critical")]
    return wrong
