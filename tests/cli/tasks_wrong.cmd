weft tasks
weft tasks a b
weft tasks a --kind python-to-raedable
weft tasks . -o never
weft tasks a --per-kind 0
