folder=$(mktemp -d)
weft standalone ../standalone/negative_index.py -o $folder 2>&1
weft standalone --verify $folder 2>&1 | grep 'PASS\|FAIL'
rm -r $folder
