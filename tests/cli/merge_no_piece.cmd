folder=$(mktemp -d) && cd "$folder" && mkdir empty broken && echo '{' > broken/manifest.json
weft merge nowhere nothing -o joined
weft merge empty empty -o joined
weft merge broken broken -o joined
weft produce -n 3 -s 1 --no-verify -j 1 -q -o whole
weft merge whole whole -o joined
weft produce -n 3 -s 1 --no-verify -j 1 -q -o half --shard 1/2
weft merge half half -o joined
weft merge half -o joined
ls
rm -r "$folder"
