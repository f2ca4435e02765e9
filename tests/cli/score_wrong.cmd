weft score
weft score tasks.jsonl
weft score tasks.jsonl answers.jsonl -o never
weft score tasks.jsonl answers.jsonl --data a
weft score none.jsonl answers.jsonl --data a -o never
weft score score_wrong.cmd answers.jsonl --data a -o never
