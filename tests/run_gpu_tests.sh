#!/bin/sh
# Everything that needs a GPU, in one command; a short table comes last. See GPU_TESTING.md.
#
#   tests/run_gpu_tests.sh [--quick]
#
# Environment: WEFT (build/weft), WARP_INCLUDE (Warp's native headers; default: found), COUNT (kernels, 2000),
# SEED (1), STANDALONE (programs, 200), OUT (logs, gpu-tests). Exit code 0: all pass, 1: something fails, 77: no GPU.
set -u
cd "$(dirname "$0")/.." || exit 1
WEFT=${WEFT:-build/weft}
OUT=${OUT:-gpu-tests}
SEED=${SEED:-1}
quick=false
[ "${1:-}" = "--quick" ] && quick=true
$quick && { COUNT=${COUNT:-100} STANDALONE=${STANDALONE:-0} SANITIZED=0; }
COUNT=${COUNT:-2000} STANDALONE=${STANDALONE:-200} SANITIZED=${SANITIZED:-100}

mkdir -p "$OUT"
set -- --cache "$OUT/cache" --keep "$OUT/failures"
[ -n "${WARP_INCLUDE:-}" ] && set -- "$@" --warp-include "$WARP_INCLUDE"

summary="$OUT/summary.txt"
: >"$summary"
failed=0

# step NAME COMMAND...: runs it, keeps its output in OUT/NAME.log, adds a line to the summary.
step() {
    name=$1
    shift
    started=$(date +%s)
    "$@" >"$OUT/$name.log" 2>&1
    code=$?
    verdict=PASS
    [ $code -ne 0 ] && verdict=FAIL && failed=1
    printf '%-22s %s  %4d s  %s\n' "$name" "$verdict" $(($(date +%s) - started)) \
        "$(grep -E '^(all |PASS|FAIL|ERROR SUMMARY|========= ERROR SUMMARY|========= RACECHECK SUMMARY|.*standalone programs)' \
            "$OUT/$name.log" | head -n 1 | tr -s ' ' | cut -c 1-90)" >>"$summary"
}

if ! "$WEFT" gpu --generate 1 "$@" >"$OUT/first.log" 2>&1 && grep -q "no GPU" "$OUT/first.log"; then
    echo "skipped: $(cat "$OUT/first.log")"
    exit 77
fi

# Tiles and queries need what Warp's own library sets up on a device; the evaluators do not run them.
golden=$(ls tests/golden/*.py | grep -v -E '/(tiles|geometry_queries|volumes|errors)\.py$')

step generated "$WEFT" gpu --generate "$COUNT" -s "$SEED" "$@"
# shellcheck disable=SC2086
$quick || step golden "$WEFT" gpu $golden "$@" --messages 1000

if [ "$STANDALONE" -gt 0 ] && "$WEFT" --help | grep -q standalone; then
    rm -rf "$OUT/standalone"
    step standalone-written "$WEFT" standalone -n "$STANDALONE" -s "$SEED" -o "$OUT/standalone"
    step standalone "$WEFT" gpu --standalone "$OUT/standalone"
fi

PATH=$PATH:/usr/local/cuda/bin:/usr/local/cuda/compute-sanitizer
if [ "$SANITIZED" -gt 0 ] && command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck; do
        step "$tool" compute-sanitizer --tool $tool --error-exitcode 9 \
            "$WEFT" gpu --generate "$SANITIZED" -s "$SEED" --same-process "$@"
    done
fi

$quick || step bench "$WEFT" gpu --bench "$@"

[ -f "$OUT/bench.log" ] && cat "$OUT/bench.log"
tail -n 30 "$OUT/generated.log"
echo
cat "$summary"
[ $failed -eq 0 ] && echo "all GPU tests pass" || echo "some GPU tests fail: see $OUT/*.log and $OUT/failures"
exit $failed
