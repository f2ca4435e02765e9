#!/bin/sh
# tools/pack_fuzz.sh BUILD_DIR OUT
# A folder to fuzz with on another machine, without compiler, network or this repository: the targets, the libraries they need (but
# for the C library, which must not be older there), seeds, and run.sh:
#     OUT/run.sh [SECONDS] [JOBS] [COUNT] [SEED]    each target for SECONDS (600), meanwhile COUNT (50000) mutated files on the other cores
set -eu
build=$1 out=$2

mkdir -p "$out/lib"
cp "$build"/fuzz_[a-z]* "$build/mutate_files" fuzz/kernel.dict "$out"
for library in $(ldd "$build/mutate_files" | awk '$3 ~ /^\// { print $3 }'); do
    case $(basename "$library") in
    libc.so* | libm.so* | libdl.so* | libpthread.so* | librt.so* | libresolv.so* | ld-linux*) ;;
    *) cp -L "$library" "$out/lib" ;;
    esac
done
tools/fuzz_seeds.sh "$build/weft" "$out/seeds"
if [ -d fuzz/seeds ]; then cp -r fuzz/seeds "$out/own_seeds"; fi
cat >"$out/run.sh" <<'END'
#!/bin/sh
# run.sh [SECONDS] [JOBS] [COUNT] [SEED]: see tools/pack_fuzz.sh. Findings, logs and a summary are in results/. Exit code 0: no findings.
set -u
cd "$(dirname "$0")"
seconds=${1:-600} jobs=${2:-$(nproc)} count=${3:-50000} seed=${4:-1}
export LD_LIBRARY_PATH="$PWD/lib"
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
mkdir -p results/findings
targets=0 pids=""
for target in fuzz_*; do
    mkdir -p "results/corpus/$target"
    seeds=seeds
    [ -d "own_seeds/$target" ] && seeds=own_seeds/$target
    ./"$target" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=4096 -max_len=65536 -print_final_stats=1 -dict=kernel.dict \
        -verbosity=0 -artifact_prefix="results/findings/$target-" "results/corpus/$target" "$seeds" >"results/$target.log" 2>&1 &
    pids="$pids $!:$target"
    targets=$((targets + 1))
done
others=$((jobs > targets ? jobs - targets : 1))
./mutate_files -n "$count" -s "$seed" -j "$others" -t "$seconds" -k results/findings seeds/*.py >results/mutate_files.log 2>&1
code=$?
tail -1 results/mutate_files.log | tee results/summary.txt
for pid in $pids; do
    if wait "${pid%%:*}"; then verdict="no findings"; else verdict="FINDINGS" code=1; fi
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "results/${pid#*:}.log")
    echo "${pid#*:}: $seconds s, ${runs:-?} inputs, $verdict" | tee -a results/summary.txt
done
[ "$code" -eq 0 ] && echo "fuzz: no findings" | tee -a results/summary.txt
exit "$code"
END
chmod +x "$out/run.sh"
du -sh "$out" | cut -f1
