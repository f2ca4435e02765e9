folder=$(mktemp -d)
weft standalone ../standalone/changed_arrays.py -o $folder 2>&1
grep -H '"backward_reason"' $folder/*/metadata.json | sed "s|$folder/||"
weft standalone --verify $folder 2>&1 | grep 'PASS\|FAIL'
rm -r $folder
