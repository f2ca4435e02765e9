#!/bin/sh
# Pass B: final shards, one per task of a Slurm array, after `weft range duplicates $WORK/keys-* -o $WORK/duplicates`.
#     sbatch --array=0-999 examples/slurm/produce.sh
# A task that is repeated goes on where it was ended, or finds that nothing is left to do.
#SBATCH --job-name=weft-produce
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
set -eu
. "${EXAMPLES:-${SLURM_SUBMIT_DIR:-.}/examples/slurm}/settings.sh"
first=$((SLURM_ARRAY_TASK_ID * ROWS))
end=$((first + ROWS < CANDIDATES ? first + ROWS : CANDIDATES))
# shellcheck disable=SC2086
$WEFT produce --candidates $first:$end --duplicates "$WORK/duplicates" -s "$SEED" --shard-rows "$ROWS" $OPTIONS \
    -j "${SLURM_CPUS_PER_TASK:-1}" --resume -o "$WORK/range-$(printf %06d "$SLURM_ARRAY_TASK_ID")"
