out=$(mktemp -d)
weft produce -q -n 20 -s 3 --no-verify -o "$out/set" && weft produce -n 20 -s 3 --no-verify -o "$out/set" --resume 2>&1 | sed "s|$out|OUT|"
weft validate -i "$out/set" | tail -n 1 | sed "s|$out|OUT|"
ls "$out/set"
rm -r "$out"
