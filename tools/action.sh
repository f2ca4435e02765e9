#!/bin/bash
# The step of action.yml: installs weft, checks the paths, and leaves the exit code of `weft check`.
# The inputs are WEFT_PATHS, WEFT_BASELINE, WEFT_FACTS, WEFT_PACKAGE and WEFT_SARIF.
set -eu
package=${WEFT_PACKAGE:-${GITHUB_ACTION_PATH:?}}
python3 -m venv "${RUNNER_TEMP:?}/weft"
"$RUNNER_TEMP/weft/bin/pip" install -q -- "$package"
read -r -a paths <<<"${WEFT_PATHS:-.}"
options=(-j 0 --sarif "${WEFT_SARIF:-weft.sarif}")
[ -z "${WEFT_BASELINE:-}" ] || options+=(--baseline "$WEFT_BASELINE")
[ -z "${WEFT_FACTS:-}" ] || options+=(--facts "$WEFT_FACTS")
exec "$RUNNER_TEMP/weft/bin/weft" check "${options[@]}" -- "${paths[@]}"
