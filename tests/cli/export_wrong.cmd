weft export
weft export a b --format hf -o never
weft export a -o never
weft export a --format csv -o never
weft export a --format hf
weft export a --format parquet --kind cuda-to-python -o never
weft export a --format trl --kind cuda-to-pyhton -o never
weft export . --format hf -o never
