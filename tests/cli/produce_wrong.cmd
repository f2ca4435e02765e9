weft produce -n 5
weft produce -o never
weft produce -n 5 -o never -d tpu
weft produce -n 5 -o never --splits 1,2
weft produce -n 5 -o never --shard 3/2
weft produce -n 5 -o never --format json --splits 8,1,1
weft produce -n 5 -o never --format parquet --no-compress
weft produce -n 5 -o never -c poetry
weft produce -n many -o never
weft produce -n 5 -o never --launches 2 --no-verify
weft merge
weft stats
weft validate
weft validate -i . --sample 101
weft validate -i .
weft stats .
