#!/usr/bin/env python3
"""tools/doc_blocks.py on the pages of tests/docs: which blocks it finds, what it completes, and that weft writes Warp's text for them."""

import pathlib
import subprocess
import sys
import unittest

import warp_env

ROOT = warp_env.ROOT
sys.path.insert(0, str(ROOT / "tools"))
import doc_blocks  # noqa: E402

PAGES = ROOT / "tests" / "docs"


class Blocks(unittest.TestCase):
    def test_what_is_found(self):
        pages = {pathlib.Path(name).name: blocks for name, blocks in doc_blocks.pages_of([PAGES])}
        self.assertEqual([len(pages["page.md"]), len(pages["page.rst"])], [1, 5])
        self.assertTrue(pages["page.rst"][0].startswith("import warp as wp\n"))
        self.assertTrue(pages["page.rst"][1].startswith("@wp.func\n"))
        self.assertEqual(pages["page.rst"][4].splitlines()[0], "@wp.kernel")

    def test_what_is_added(self):
        self.assertEqual(doc_blocks.completed("x = np.pi\n", ["y = 1\n"]), "import warp as wp\nimport numpy as np\ny = 1\nx = np.pi\n")
        self.assertEqual(doc_blocks.completed("import warp\n", []), "import warp\n")

    def test_what_is_left_out(self):
        text = "import math\nx = 1\ny = undefined\n"
        try:
            exec(compile(text, "page", "exec"))
        except NameError as error:
            self.assertEqual(doc_blocks.without_statement(text, error, "page"), "import math\nx = 1\n\n")


class Compared(unittest.TestCase):
    def test_pages(self):
        if not warp_env.warp_package.find_warp("1.19.0") or not (warp_env.BUILD / "python" / "weft" / "_native.abi3.so").exists():
            self.skipTest("Warp 1.19.0 or the Python package is missing")
        environment = warp_env.os.environ | {"WEFT_PACKAGE": str(warp_env.BUILD / "python"), "WEFT": str(warp_env.BUILD / "weft")}
        process = subprocess.run([sys.executable, ROOT / "tools" / "doc_blocks.py", PAGES], capture_output=True, text=True, env=environment)
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
        self.assertIn("text: 4 identical, 0 refused, 0 different, 1 Warp refuses too, 0 not run", process.stdout)
        self.assertIn("live: 4 identical, 0 refused, 0 different, 1 Warp refuses too, 0 not run", process.stdout)


if __name__ == "__main__":
    unittest.main()
