#!/bin/sh
# tools/fuzz_data_seeds.sh WEFT FOLDER
# What fuzzing the readers of data sets begins with: FOLDER/fuzz_manifest, fuzz_record, fuzz_launch, fuzz_stats, fuzz_parquet
# and fuzz_cuda.
set -eu
weft=$1 seeds=$2
sets=$seeds/sets

rm -rf "$seeds"
mkdir -p "$sets"
"$weft" produce -n 20 -o "$sets/plain" -d both --no-verify --no-compress --splits 60,20,20 --shard-rows 5
"$weft" produce -n 20 -o "$sets/packed" -d both --no-verify
"$weft" produce -n 20 -o "$sets/piece" --no-verify --shard 2/3
"$weft" produce -n 5 -o "$sets/files" --format json
"$weft" produce -n 60 -o "$sets/readable" --no-compress
"$weft" produce -n 3 -o "$sets/parquet" --format parquet --no-verify
python3 - "$seeds" <<'END'
import json, pathlib, sys
seeds = pathlib.Path(sys.argv[1])
sets = seeds / "sets"

def put(target, name, data):
    (seeds / target).mkdir(exist_ok=True)
    (seeds / target / name).write_bytes(data)

for folder in sets.iterdir():
    put("fuzz_manifest", folder.name, (folder / "manifest.json").read_bytes())
records = [line for path in sorted((sets / "plain").glob("*.jsonl")) for line in path.read_bytes().splitlines()]
records += [path.read_bytes().strip() for path in (sets / "files").glob("cuda*.json")]
for number, record in enumerate(records):
    put("fuzz_record", str(number), record)
    launch = {name: json.loads(record)[name] for name in ("launch_dim", "arguments")}
    put("fuzz_launch", str(number), json.dumps(launch).encode())
for path in (sets / "plain").glob("*.jsonl"):
    put("fuzz_stats", path.name, b"0" + path.read_bytes())
for path in (sets / "packed").glob("*.zst"):
    put("fuzz_stats", path.name, b"1" + path.read_bytes())
for path in (sets / "parquet").glob("*.parquet"):
    put("fuzz_parquet", path.name, b"1" + path.read_bytes())
for path in (sets / "readable").glob("*.jsonl"):
    for number, record in enumerate(map(json.loads, path.read_text().splitlines())):
        if record["cuda_readable"]:
            put("fuzz_cuda", str(number), f"{record['cuda_readable']}\n#launches {json.dumps(record['launches'][:1])}".encode())
END
