weft export
weft export a b --to hf -o never
weft export a -o never
weft export a --to csv -o never
weft export a --to hf
weft export a --to parquet --kind cuda-to-python -o never
weft export a --to trl --kind cuda-to-pyhton -o never
weft export . --to hf -o never
