weft extract ../scripts/overloads.py --json | python3 -c 'import json, sys; [print(json.loads(line)["full_name"]) for line in sys.stdin]'
