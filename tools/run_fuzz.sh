#!/bin/sh
# tools/run_fuzz.sh BUILD_DIR SECONDS
# Runs every fuzz target of the build, seeded with the golden files and invented kernels with their launches. What it learns stays in BUILD_DIR/corpus,
# a finding in BUILD_DIR/findings.
set -eu
build=$1 seconds=$2

seeds=$build/seeds
mkdir -p "$seeds" "$build/findings"
cp tests/golden/*.py tests/errors/*.py examples/*.py "$seeds" 2>/dev/null || true
"$build/weft" synth -n 60 -s 3 --json | python3 -c '
import json, sys
for number, line in enumerate(sys.stdin):
    sample = json.loads(line)
    with open(f"{sys.argv[1]}/synth_{number}.py", "w") as out:
        out.write("import warp as wp\n\n\n" + sample["python_source"] + "\n#launch " + json.dumps(sample["metadata"]["launch"]) + "\n")
' "$seeds"
found=0 ran=0
for source in fuzz/fuzz_*.c; do
    [ -e "$source" ] || continue
    target=$(basename "$source" .c)
    corpus=$build/corpus/$target
    mkdir -p "$corpus"
    echo "fuzz: $target for $seconds s"
    ran=$((ran + 1))
    "$build/$target" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=4096 -max_len=65536 -print_final_stats=1 \
        -dict=fuzz/kernel.dict -verbosity=0 -artifact_prefix="$build/findings/$target-" "$corpus" "$seeds" ||
        found=$((found + 1))
done
echo "fuzz: $ran targets, $found with findings"
[ "$ran" -gt 0 ] && [ "$found" -eq 0 ]
