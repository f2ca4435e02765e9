out=$(mktemp -d)
weft produce -n 20 -s 3 --no-verify -o "$out/set" --warp 1.17 -q
weft produce -n 20 -s 3 --no-verify -o "$out/set" --warp 1.18 --resume 2>&1 | sed "s|$out|OUT|"
weft validate "$out/set" --warp 1.18 2>&1 | sed "s|$out|OUT|"
weft gpu --cpu "$out/set" --warp 1.18 2>&1 | sed "s|$out|OUT|"
weft validate "$out/set" | tail -n 1 | sed "s|$out|OUT|"
grep -o '"warp_version": "[^"]*"' "$out/set/manifest.json"
zstd -dc "$out"/set/*.zst | grep -o '"warp_version": "[^"]*"' | sort | uniq -c | sed 's/^ *//'
rm -r "$out"
