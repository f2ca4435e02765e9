#!/bin/sh
# Pass A: keys of candidates, one range per task of a Slurm array.
#     sbatch --array=0-99 examples/slurm/keys.sh
# WORK: a folder that all nodes see; KEYS: candidates per task; SEED. Each may be given by the environment.
#SBATCH --job-name=weft-keys
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
set -eu
. "${EXAMPLES:-${SLURM_SUBMIT_DIR:-.}/examples/slurm}/settings.sh"
first=$((SLURM_ARRAY_TASK_ID * KEYS))
end=$((first + KEYS < CANDIDATES ? first + KEYS : CANDIDATES))
target=$WORK/keys-$(printf %06d "$SLURM_ARRAY_TASK_ID")
[ -e "$target" ] || $WEFT range keys --candidates $first:$end -s "$SEED" -j "${SLURM_CPUS_PER_TASK:-1}" -o "$target"
