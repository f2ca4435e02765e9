folder=$(mktemp -d)
weft standalone ../evaluators/thread_numbers.py -k two -o $folder 2>/dev/null
grep 'thread / threads_y\|random_next(' $folder/*/two.cu
rm -r $folder
