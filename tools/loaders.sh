#!/bin/sh
# tools/loaders.sh [VERSION]: an environment with the tools that read data sets, newest versions, or with one version of `datasets`
# alone. Prints the path of its Python. Exits 1, with a word why, if it cannot be made (no network, say).
set -eu
cd "$(dirname "$0")/.."

folder=.venv-loaders${1:+-$1}
wanted="datasets pandas pyarrow polars duckdb jsonschema zstandard"
[ $# -eq 0 ] || wanted="datasets==$1 zstandard fsspec[http]"
case ${1:-} in 2.* | 3.*) wanted="$wanted pyarrow<20 numpy<2" ;; esac
if [ "$wanted" != "$(cat "$folder/.installed" 2>/dev/null)" ]; then
    python3 -m venv "$folder" || { echo "tools/loaders.sh: python3 -m venv failed" >&2; exit 1; }
    # shellcheck disable=SC2086 # one word per package
    if ! "$folder/bin/python" -m pip install --quiet --disable-pip-version-check $wanted; then
        rm -rf "$folder"
        echo "tools/loaders.sh: pip could not install $wanted (is there a network?)" >&2
        exit 1
    fi
    echo "$wanted" >"$folder/.installed"
fi
echo "$folder/bin/python"
