weft extrct x.py
weft help prodcue
weft extract --kernal x x.py
weft check --jsno x.py
weft synth -c physcs
weft produce -n 1 -o never --gradients provn
weft extract --device cude x.py
weft check ../prompt/kernels/findings.py -k blur --no-example --shape imgae=24,24 >/dev/null
weft bench verfy
weft zzz
weft extract --zzz
weft completions fsh
