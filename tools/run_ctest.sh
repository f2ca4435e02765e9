#!/bin/sh
# tools/run_ctest.sh BUILD_DIR JOBS [ctest options]
# Runs CTest, and closes with the line `N passed, N failed, N skipped`.
set -u
build=$1 jobs=$2
shift 2

report=$build/tests.xml
rm -f "$report"
ctest --test-dir "$build" -j "$jobs" --output-on-failure --no-tests=error --output-junit tests.xml "$@"
status=$?
[ -e "$report" ] || { echo "0 passed, 1 failed, 0 skipped"; exit 1; }

total=$(grep -c '<testcase ' "$report")
passed=$(grep -c '<testcase .*status="run"' "$report")
skipped=$(grep -c '<skipped message="SKIP_RETURN_CODE=77"' "$report")
if [ "$skipped" -gt 0 ]; then # a skipped test says why
    echo "Skipped:"
    sed -n 's/.*<testcase name="\([^"]*\)".*status="notrun".*/\1/p; s/.*\(skipped: [^<]*\).*/    \1/p' "$report"
fi
failed=$((total - passed - skipped))
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$status" -eq 0 ]
