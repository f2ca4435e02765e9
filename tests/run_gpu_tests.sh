#!/bin/sh
# Everything that needs a GPU, in one command; a short table comes last. See docs/how-to/gpu-testing.md.
#
#   tests/run_gpu_tests.sh [--quick]
#
# Environment: WEFT (build/weft), WARP_INCLUDE (Warp's native headers; default: found), COUNT (kernels, 2000),
# SEED (1), STANDALONE (programs, 200), SANITIZED (kernels, 100), OUT (logs, gpu-tests), STEPS (some of "generated golden tiles
# standalone judge memcheck racecheck bench"; default all). Exit code 0: all pass, 1: something fails, 77: no GPU.
set -u
cd "$(dirname "$0")/.." || exit 1
WEFT=${WEFT:-build/weft}
OUT=${OUT:-gpu-tests}
SEED=${SEED:-1}
quick=false
[ "${1:-}" = "--quick" ] && quick=true
$quick && { COUNT=${COUNT:-100} STEPS=generated; }
COUNT=${COUNT:-2000} STANDALONE=${STANDALONE:-200} SANITIZED=${SANITIZED:-100}
STEPS=${STEPS:-generated golden tiles standalone judge memcheck racecheck bench}
PATH=$PATH:/usr/local/cuda/bin:/usr/local/cuda/compute-sanitizer

mkdir -p "$OUT"
set -- --cache "$OUT/cache" --keep "$OUT/failures"
[ -n "${WARP_INCLUDE:-}" ] && set -- "$@" --warp-include "$WARP_INCLUDE"

summary="$OUT/summary.txt"
: >"$summary"
failed=0

wanted() {
    case " $STEPS " in *" $1 "*) ;; *) return 1 ;; esac
}

all_fine() {
    [ "$1" -eq 0 ]
}

# For sanitizers: the tool has nothing to say, and every kernel was compiled and ran. Whether results agree, which is what
# exit code 1 is about, other steps say.
nothing_found() {
    [ "$1" -le 1 ] && grep -q 'SUMMARY: 0 ' "$2" && grep -Eq "^all +$SANITIZED +$SANITIZED +$SANITIZED " "$2"
}

accept=all_fine

# step NAME COMMAND...: runs it, keeps its output in OUT/NAME.log, adds a line to the summary.
step() {
    name=$1
    shift
    started=$(date +%s)
    "$@" >"$OUT/$name.log" 2>&1
    code=$?
    $accept "$code" "$OUT/$name.log" && verdict=PASS || { verdict=FAIL; failed=1; }
    line=$(grep -E '^all |ERROR SUMMARY|RACECHECK SUMMARY|standalone programs|^copying|scores differ between' "$OUT/$name.log" | tail -n 1)
    printf '%-12s %s %4d s  %s\n' "$name" "$verdict" $(($(date +%s) - started)) \
        "$(echo "$line" | tr -s ' =' | cut -c 1-100)" >>"$summary"
}

if ! "$WEFT" gpu --generate 1 "$@" >"$OUT/first.log" 2>&1 && grep -q "no GPU" "$OUT/first.log"; then
    echo "skipped: $(cat "$OUT/first.log")"
    exit 77
fi

# Tiles and queries need what Warp's own library sets up on a device; the evaluators do not run them. Warp's own headers
# refuse the text that Warp writes for joint_space_matrices; stop_in_debugger stops. The reverse pass
# of local_fixed_arrays, as Warp writes it, ends in a trap on the card; why is not known.
golden=$(ls tests/golden/*.py | grep -v -E '/(tiles|geometry_queries|volumes|errors)\.py$')

wanted generated && step generated "$WEFT" gpu --generate "$COUNT" -s "$SEED" "$@"
# shellcheck disable=SC2086
wanted golden && step golden "$WEFT" gpu $golden "$@" --messages 1000 \
    --skip joint_space_matrices,stop_in_debugger,local_fixed_arrays
# Queries by a block are not evaluated.
wanted tiles && step tiles "$WEFT" gpu tests/tiles/tiles_golden.py "$@" --messages 1000 \
    --skip query_boxes,query_ray,query_mesh,query_old_names
if wanted standalone; then
    rm -rf "$OUT/standalone"
    "$WEFT" standalone -n "$STANDALONE" -s "$SEED" -o "$OUT/standalone" >"$OUT/standalone-written.log" 2>&1
    step standalone "$WEFT" gpu --standalone "$OUT/standalone"
fi
# weft score --gpu: references, wrong variants, the same scores as on the CPU; and hostile answers
wanted judge && step judge tests/python/test_judge_gpu.py --real --count 40
wanted judge && step hostile tests/hostile/test_judge.py --gpu
accept=nothing_found
for tool in memcheck racecheck; do
    wanted $tool || continue
    command -v compute-sanitizer >/dev/null || { echo "$tool: skipped, there is no compute-sanitizer" >>"$summary"; continue; }
    step $tool compute-sanitizer --tool $tool --error-exitcode 9 \
        "$WEFT" gpu --generate "$SANITIZED" -s "$SEED" --same-process "$@"
done
accept=all_fine
wanted bench && step bench "$WEFT" gpu --bench "$@"

[ -f "$OUT/bench.log" ] && cat "$OUT/bench.log"
[ -f "$OUT/generated.log" ] && tail -n 30 "$OUT/generated.log"
echo
cat "$summary"
[ $failed -eq 0 ] && echo "all GPU tests pass" || echo "some GPU tests fail: see $OUT/*.log and $OUT/failures"
exit $failed
