#!/bin/sh
# Both passes and what is between and behind them, as jobs that wait for each other; at the end the data set is $WORK/set.
#     WORK=/shared/weft CANDIDATES=10000000 sh examples/slurm/all.sh
set -eu
here=$(dirname "$0")
EXAMPLES=$(cd "$here" && pwd)
. "$here/settings.sh"
export EXAMPLES WEFT WORK CANDIDATES SEED KEYS ROWS OPTIONS
keys=$(sbatch --parsable --array=0-$(((CANDIDATES + KEYS - 1) / KEYS - 1)) "$here/keys.sh")
losers=$(sbatch --parsable --dependency=afterok:"$keys" --wrap "$WEFT losers $WORK/keys-* -o $WORK/losers")
made=$(sbatch --parsable --dependency=afterok:"$losers" --array=0-$(((CANDIDATES + ROWS - 1) / ROWS - 1)) --requeue "$here/produce.sh")
sbatch --dependency=afterok:"$made" --wrap "$WEFT index $WORK/range-* -o $WORK/set"
