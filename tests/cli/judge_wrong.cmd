weft judge
weft judge --self-test more
