folder=$(mktemp -d)
weft standalone ../golden/functions.py -k call_native_value -o $folder
code=$?
rm -r $folder
exit $code
