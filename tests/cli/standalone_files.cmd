folder=$(mktemp -d)
weft standalone ../../examples/standalone.py -k smooth -o $folder
code=$?
(cd $folder && find . -type f | sort && cat production_summary.json)
rm -r $folder
exit $code
