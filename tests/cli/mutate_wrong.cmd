weft mutate
weft mutate . -o never
weft mutate a --form cudo
