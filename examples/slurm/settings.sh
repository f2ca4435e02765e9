# What all scripts of this folder agree on; read by them, not run.
WEFT=${WEFT:-weft}
WORK=${WORK:-$PWD/weft-work}      # a folder that all nodes see
CANDIDATES=${CANDIDATES:-10000000}
SEED=${SEED:-0}
KEYS=${KEYS:-100000}              # candidates per task of keys.sh
ROWS=${ROWS:-10000}               # candidates per task of produce.sh: one shard
OPTIONS=${OPTIONS:---format parquet} # further ones of weft produce
mkdir -p "$WORK"
