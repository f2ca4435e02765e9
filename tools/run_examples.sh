#!/bin/sh
# tools/run_examples.sh WEFT OUT_DIR
# Compiles the kernels of examples/ into one module text and one record file per source file.
set -eu
weft=$1 out=$2

mkdir -p "$out"
refused=0
for file in examples/*.py; do
    name=$(basename "$file" .py)
    "$weft" extract "$file" -d cuda >"$out/$name.cu" || refused=1
    "$weft" extract "$file" -d cpu >"$out/$name.cpp" || refused=1
    "$weft" extract "$file" --json >"$out/$name.jsonl" || refused=1
    printf '%-28s %3d kernels  %7d bytes of CUDA  %7d bytes of C++\n' "$file" "$(grep -c '"kernel_name"' "$out/$name.jsonl")" \
        "$(wc -c <"$out/$name.cu")" "$(wc -c <"$out/$name.cpp")"
done
echo "written to $out: NAME.cu and NAME.cpp (module texts), NAME.jsonl (one record per kernel)"
exit $refused
