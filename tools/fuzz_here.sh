#!/bin/bash
# run.sh [SECONDS] [JOBS] [COUNT] [SEED] [FILE_SECONDS]: fuzzes on this machine, with what tools/pack_fuzz.sh put beside it.
# Each target runs for SECONDS (600) on a core of its own; meanwhile COUNT (50000) mutated files go through extract, check and
# standalone on the other cores of JOBS, until all are done or FILE_SECONDS (as SECONDS) are over. What takes more than ten seconds is a hang.
# A target that finds something begins again behind it. The same command goes on with new inputs, and adds up. Findings and logs
# are copied to $OUT, or to results beside this file. Exit code 0: no findings.
cd "$(dirname "$0")" || exit 1
here=$PWD
work=${TMPDIR:-/tmp}/weft-fuzz-@KEY@ out=${OUT:-$PWD/results}
if [ ! -e "$work/ready" ]; then
    mkdir -p "$work" && tar -xzf fuzz.tar.gz -C "$work" && touch "$work/ready" || exit 1
fi
cd "$work" || exit 1
seconds=${1:-600} jobs=${2:-$(nproc)} count=${3:-50000} seed=${4:-1} file_seconds=${5:-${1:-600}}
export LD_LIBRARY_PATH="$work/lib"
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
mkdir -p results/findings
if [ -d "$here/before" ] && [ ! -e results/calls ]; then cp "$here"/before/* results/; fi # what another machine did: calls, targets, files
call=$(($(cat results/calls 2>/dev/null || echo 0) + 1))
echo "$call" >results/calls

# Old sanitizers and some kernels do not agree on addresses; leaks are looked for with the means of a debugger.
still=""
if setarch -R true 2>/dev/null; then still="setarch -R"; fi
if ! $still ./fuzz_parse -runs=0 >/dev/null 2>&1; then
    ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
    $still ./fuzz_parse -runs=0 >results/start.log 2>&1 || { cat results/start.log; echo "fuzz: the targets do not run here"; exit 1; }
    echo "fuzz: leaks are not looked for here"
fi

# Lines of results/targets: the target, executions, seconds, crashes, hangs.
fuzz_target() {
    local target=$1 begin=$SECONDS round=0 seeds=seeds log units
    mkdir -p "results/corpus/$target"
    [ -d "own_seeds/$target" ] && seeds=own_seeds/$target
    while [ $((SECONDS - begin)) -lt "$seconds" ] && [ $round -lt 100 ]; do
        round=$((round + 1))
        log=results/$target.$call.$round.log
        local since=$SECONDS crashes=0 hangs=0
        if ! $still ./"$target" -max_total_time=$((seconds - (SECONDS - begin))) -timeout=10 -rss_limit_mb=4096 -max_len=65536 \
            -print_final_stats=1 -dict=kernel.dict -verbosity=0 -seed=$((seed * 1000 + call * 100 + round)) \
            -artifact_prefix="results/findings/$target-" "results/corpus/$target" "$seeds" >"$log" 2>&1; then
            if grep -q "findings/$target-timeout-" "$log"; then hangs=1; else crashes=1; fi
        fi
        units=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        echo "$target ${units:-0} $((SECONDS - since)) $crashes $hangs" >>results/targets
    done
}

pids="" targets=0
for target in fuzz_*; do
    fuzz_target "$target" &
    pids="$pids $!"
    targets=$((targets + 1))
done
done_before=$(awk '{ n += $1 } END { print n + 0 }' results/files 2>/dev/null || echo 0)
if [ "$done_before" -lt "$count" ]; then
    others=$((jobs > targets ? jobs - targets : 1))
    log=results/mutate_files.$call.log
    begin=$SECONDS
    $still ./mutate_files -n $((count - done_before)) -s $((seed * 1000 + call)) -j "$others" -t "$file_seconds" -k results/findings \
        seeds/*.py >"$log" 2>&1
    failed=$?
    files=$(sed -n 's/^\([0-9]*\) files through .*/\1/p' "$log")
    crashes=$(grep -c '^crash: ' "$log") hangs=$(grep -c '^hang: ' "$log")
    if [ $failed -ne 0 ] && [ $((crashes + hangs)) -eq 0 ]; then crashes=1; fi
    echo "${files:-0} $((SECONDS - begin)) $crashes $hangs" >>results/files
fi
wait $pids

awk 'BEGIN { format = "%-14s %12s %8s %8s %6s\n"; printf format, "target", "executions", "seconds", "crashes", "hangs" }
    FILENAME == "results/files" { files += $1; file_time += $2; file_crashes += $3; file_hangs += $4; next }
    { if (!($1 in units)) order[++n] = $1; units[$1] += $2; time[$1] += $3; crashes[$1] += $4; hangs[$1] += $5 }
    END {
        for (i = 1; i <= n; i++) { t = order[i]; printf format, t, units[t], time[t], crashes[t], hangs[t]; found += crashes[t] + hangs[t] }
        printf format, "mutate_files", files, file_time, file_crashes, file_hangs
        exit found + file_crashes + file_hangs > 0
    }' results/targets results/files >results/summary.txt
code=$?
mkdir -p "$out"
cp -r results/findings results/*.log results/summary.txt "$out"/
sort results/mutate_files.*.log | grep 'files through' 
cat results/summary.txt
exit $code
