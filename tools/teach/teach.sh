#!/bin/sh
# teach.sh OUT [--pairs] [RUN...]: on the machine with the GPU, in the folder that `make teach-pack` made: all runs of its plan, or these.
# Answers and reports go to OUT. A run that has its answers is left out, so the same command continues where it was ended.
# The model is in parts, which may have travelled one by one; they lie in this folder, or in TEACH_MODEL.
# --pairs invents the pairs of the runs and ends. It needs no model: pairs can be made while the model is on its way.
set -eu
pack=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || { sed -n '2,5s/^# //p' "$0"; exit 2; }
out=$1
shift
mkdir -p "$out"
export PYTHONUNBUFFERED=1

only_pairs=
if [ "${1:-}" = --pairs ]; then
    only_pairs=--pairs
    shift
else
    model=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["model"])' "$pack/plan.json")
    if [ ! -e "$pack/$model" ]; then
        cat "${TEACH_MODEL:-$pack}/$model".part-* >"$pack/$model.new"
        mv "$pack/$model.new" "$pack/$model"
    fi
    (cd "$pack" && sha256sum --quiet --check SHA256SUMS) || { echo "teach.sh: a file of the pack is not what was packed" >&2; exit 1; }
fi

[ $# -gt 0 ] || set -- $(python3 -c 'import json, sys; print(*(r["name"] for r in json.load(open(sys.argv[1]))["runs"]))' "$pack/plan.json")
for run in "$@"; do
    if [ -e "$out/$run.answers.jsonl" ]; then
        echo "teach.sh: $run has its answers"
        continue
    fi
    echo "teach.sh: $run"
    python3 "$pack/train.py" "$pack" "$run" "$out" $only_pairs
done
