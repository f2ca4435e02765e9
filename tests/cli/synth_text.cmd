weft synth -c physics -s 3 --start 5 | head -1; weft synth --list | wc -l
