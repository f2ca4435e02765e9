#!/bin/sh
# tools/fuzz_seeds.sh WEFT FOLDER
# What fuzzing begins with: the golden files, those of other tests, the examples, and invented kernels with their launches.
set -eu
weft=$1 seeds=$2

mkdir -p "$seeds"
for folder in golden errors gradients evaluators; do
    for file in tests/"$folder"/*.py; do
        cp "$file" "$seeds/${folder}_$(basename "$file")"
    done
done
cp examples/*.py "$seeds"
"$weft" synth -n 150 -s 3 --json | python3 -c '
import json, sys
for number, line in enumerate(sys.stdin):
    sample = json.loads(line)
    with open(f"{sys.argv[1]}/synth_{number}.py", "w") as out:
        out.write("import warp as wp\n\n\n" + sample["python_source"] + "\n#launch " + json.dumps({name: sample[name] for name in ("launch_dim", "arguments")}) + "\n")
' "$seeds"
