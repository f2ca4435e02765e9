weft gpu
weft gpu --generate 3 .
weft gpu --generate 3 -c poetry
weft gpu . -c vector
weft gpu no_such_file.py
weft gpu . --cpu
weft validate -i . --report x
