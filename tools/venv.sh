#!/bin/sh
# The Python environment of the tests, with the pinned Warp: .venv, made once, again when the pins change.
# Exits 1, with a word why, if it cannot be made (no network, say): tests that need Warp are then skipped.
set -eu
cd "$(dirname "$0")/.."

pins=tools/requirements.txt
stamp=.venv/.installed
cmp -s "$pins" "$stamp" && exit 0

echo "tools/venv.sh: installing $pins into .venv"
[ -x .venv/bin/python ] || python3 -m venv .venv || { echo "tools/venv.sh: python3 -m venv failed" >&2; exit 1; }
if ! .venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement "$pins"; then
    echo "tools/venv.sh: pip could not install $pins (is there a network?)" >&2
    exit 1
fi
cp "$pins" "$stamp"
