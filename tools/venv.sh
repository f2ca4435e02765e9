#!/bin/sh
# The Python environments of the tests.
#     tools/venv.sh            .venv, with the pins of tools/requirements.txt; made once, again when they change
#     tools/venv.sh 1.17.0     .venv-1.17.0, with that version of Warp, unless .venv has it
#     tools/venv.sh --python 1.17.0   prints the interpreter of that environment
# Exits 1, with a word why, if it cannot be made (no network, say): tests that need Warp are then skipped.
set -eu
cd "$(dirname "$0")/.."

pins=tools/requirements.txt
asked=${1:-}
[ "$asked" != --python ] || shift
folder=.venv
wanted=$(cat "$pins")
if [ $# -gt 0 ] && ! grep -qx "warp-lang==$1" "$pins"; then
    folder=.venv-$1
    wanted=$(sed "s/^warp-lang==.*/warp-lang==$1/" "$pins")
fi
if [ "$asked" = --python ]; then
    echo "$folder/bin/python"
    exit 0
fi
stamp=$folder/.installed
new=no
[ -d "$folder" ] || new=yes
[ "$wanted" = "$(cat "$stamp" 2>/dev/null)" ] && exit 0

echo "tools/venv.sh: installing $(echo "$wanted" | head -n 1) into $folder"
[ -x "$folder/bin/python" ] || python3 -m venv "$folder" || { echo "tools/venv.sh: python3 -m venv failed" >&2; exit 1; }
# The environment marker after `;` holds spaces: a requirement per line, through a file.
echo "$wanted" >"$folder/requirements.txt"
if ! "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$folder/requirements.txt"; then
    [ $new = no ] || rm -rf "$folder"
    echo "tools/venv.sh: pip could not install $(echo "$wanted" | head -n 1) (is there a network? is there such a version?)" >&2
    exit 1
fi
echo "$wanted" >"$stamp"
