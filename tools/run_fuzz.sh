#!/bin/sh
# tools/run_fuzz.sh BUILD_DIR SECONDS
# Runs every fuzz target of the build, seeded by tools/fuzz_seeds.sh and by fuzz/seeds/TARGET where there is one. What it learns
# stays in BUILD_DIR/corpus, a finding in BUILD_DIR/findings.
set -eu
build=$1 seconds=$2

mkdir -p "$build/findings"
tools/fuzz_seeds.sh "$build/weft" "$build/seeds"
tools/fuzz_data_seeds.sh "$build/weft" "$build/data-seeds"
found=0 ran=0
for source in fuzz/fuzz_*.c; do
    [ -e "$source" ] || continue
    target=$(basename "$source" .c)
    corpus=$build/corpus/$target
    seeds=$build/seeds
    [ -d "$build/data-seeds/$target" ] && seeds=$build/data-seeds/$target
    [ -d "fuzz/seeds/$target" ] && seeds=fuzz/seeds/$target
    mkdir -p "$corpus"
    echo "fuzz: $target for $seconds s"
    ran=$((ran + 1))
    "$build/$target" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=4096 -max_len=65536 -print_final_stats=1 \
        -dict=fuzz/kernel.dict -verbosity=0 -artifact_prefix="$build/findings/$target-" "$corpus" "$seeds" ||
        found=$((found + 1))
done
echo "fuzz: $ran targets, $found with findings"
[ "$ran" -gt 0 ] && [ "$found" -eq 0 ]
