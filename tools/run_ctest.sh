#!/bin/sh
# tools/run_ctest.sh BUILD_DIR JOBS [ctest options]
# Runs CTest, and closes with the line `N passed, N failed, N skipped`.
#
# A test that is skipped exits with 77 and prints a line `skipped: why`. Where CI is "true", only the skips of tests/allowed_skips.txt
# ($ALLOWED_SKIPS: another list) are allowed; every other one, and one without a reason, counts as failed.
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
allowed=${ALLOWED_SKIPS:-$here/tests/allowed_skips.txt}
build=$1 jobs=$2
shift 2

report=$build/tests.xml
rm -f "$report"
ctest --test-dir "$build" -j "$jobs" --output-on-failure --no-tests=error --output-junit tests.xml "$@"
status=$?
grep -q '<testcase ' "$report" 2>/dev/null || { echo "0 passed, 1 failed, 0 skipped"; exit 1; }

# `NAME: REASON` for each skipped test of the report
skips() {
    awk '
    /<testcase / { name = $0; sub(/.*<testcase name="/, "", name); sub(/".*/, "", name); reason = ""; skipped = 0 }
    /<skipped message="SKIP_RETURN_CODE=77"/ { skipped = 1 }
    /(^|>)skipped: / && reason == "" { reason = $0; sub(/.*(^|>)skipped: /, "", reason); sub(/<\/system-out>.*/, "", reason) }
    /<\/testcase>/ && skipped {
        gsub(/&lt;/, "<", reason); gsub(/&gt;/, ">", reason); gsub(/&quot;/, "\"", reason); gsub(/&apos;/, "\047", reason); gsub(/&amp;/, "\\&", reason)
        print name ": " (reason == "" ? "says no reason" : reason)
    }' "$report"
}

# Those of the skips on the input that begin with no line of the list
not_allowed() {
    awk -v list="$allowed" '
    BEGIN { while ((getline line < list) > 0) if (line !~ /^(#|[ \t]*$)/) allowed[++count] = line }
    { for (i = 1; i <= count; i++) if (index($0, allowed[i]) == 1) next; print }'
}

total=$(grep -c '<testcase ' "$report")
passed=$(grep -c '<testcase .*status="run"' "$report")
skips=$(skips)
skipped=$(printf '%s' "$skips" | grep -c '')
failed=$((total - passed - skipped))
if [ "$skipped" -gt 0 ]; then
    echo "Skipped:"
    echo "$skips" | sed 's/^/    /'
fi
if [ "${CI:-}" = true ] && [ "$skipped" -gt 0 ]; then
    refused=$(echo "$skips" | not_allowed)
    count=$(printf '%s' "$refused" | grep -c '')
    if [ "$count" -gt 0 ]; then
        echo "Skipped, and so failed, as $(basename "$allowed") does not allow it in CI:"
        echo "$refused" | sed 's/^/    /'
    fi
    failed=$((failed + count)) skipped=$((skipped - count))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$status" -eq 0 ]
