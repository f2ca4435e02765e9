"""Which Warp a test runs with: WEFT_WARP names the version; without it, it is the one that most tests use.

tools/venv.sh makes the environments.
"""

import importlib.metadata
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("WEFT_BUILD", ROOT / "build"))
WEFT = os.environ.get("WEFT", str(BUILD / "weft"))
sys.path.insert(0, str(ROOT / "tools"))
import warp_package  # noqa: E402


def wanted_version():
    return os.environ.get("WEFT_WARP", warp_package.VERSION)


def installed_here():
    try:
        return importlib.metadata.version("warp-lang")
    except importlib.metadata.PackageNotFoundError:
        return None


def reexec_with_warp(version=None):
    """Goes on in an environment with this version, or the one that WEFT_WARP names; False: there is none."""
    version = os.environ["WEFT_WARP"] = version or wanted_version()
    if installed_here() == version:
        return True
    found = warp_package.find_warp(version)
    if found and os.environ.get("WEFT_REEXEC") != version:
        os.environ["WEFT_REEXEC"] = version
        os.execv(found[0], [found[0], *sys.argv])
    return False


def start_warp():
    """warp and numpy, quiet, with a cache of the version's own."""
    import numpy as np
    import warp as wp

    wp.config.log_level = wp.LOG_ERROR
    wp.config.kernel_cache_dir = str(BUILD / "warp-cache" / wp.__version__)
    wp.init()
    return wp, np
