#!/usr/bin/env python3
"""Find words in descriptions of kernels that their code does not keep.

    build/weft synth -n 5000 -s SEED --json -o k.jsonl
    tools/claims.py k.jsonl [-v]

The summary of a description is written with the scene; the other parts follow from the code. A claim is a word of the summary that needs
something in the code: "clamped" needs a clamp or a comparison, "random" a random number. Prints each claim with the kernels
that lack what it needs. Exit code 1 where there is one."""

import argparse
import ast
import collections
import json
import re

BRANCH = r"\bif\b|wp\.where|wp\.min|wp\.max|\bmin\(|\bmax\(|clamp|select"
# Words of summaries, and a regular expression that the code then matches, without its comments and docstrings.
CLAIMS = {
    r"below zero|negative ind": r"max|< 0\b|< wp\.\w+\(0\)|>= 0\b|0 <= ",
    r"\bmask is (?:zero|set)": r"\bif\b|wp\.where",
    r"\b(?:skips?|are skipped|is skipped)\b": r"\bif\b|wp\.where|\bwhile\b|range\(\d*[1-9]",
    r"by a single thread": r"^(?!.*wp\.tid\(\))",
    r"(?<!normal )\brandom(?:ly)?\b": r"wp\.(?:rand|sample|poisson)|seed|rng|lcg|uint32|noise|hash|random|draw|target|goal|sample",
    r"\bclamp(?:s|ed)?\b": BRANCH,
    r"\bcounts?\b the\b|\band counts\b": r"atomic_add|\+= 1\b|\+ 1\b|\+= wp|\+=|tile_|bit_count|sum|\+ int\(|& ",
    r"\bnormali[sz]e[sd]?\b": r"normali[sz]e|length|sqrt|/",
    r"\b(?:largest|smallest|maximum|minimum)\b": r"max|min|\bif\b|largest|where|sort|<|>|clip",
    r"\bmedian\b": r"sort|min|max|<|>|median",
    r"\bnearest\b|\bclosest\b": r"min|<|>|round|floor|int(?:32)?\(|clamp|argmin",
    r"\b(?:mean|average)\b": r"/|\* ?(?:wp\.static\()?\w*(?:inv|norm|scale|share|frac|weight)|\* 0\.|0\.\d+\)? \*|\* [A-Z_]+\b|mean|rsqrt|lerp|alpha|beta|decay|1\.0 -|\* \(1 -|>> |(?i:inv)",
    r"\bsorts?\b|\bsorted\b": r"<|>|min|max|sort|offset|start|rank",
    r"\blogarithm": r"log|bit_length|>>",
    r"\babsolute\b": r"abs|<|>|max|sqrt|norm_l1",
    r"\b(?:above|below|under) (?:a|the|its) (?:limit|threshold|level)": r"<|>|min|max|clamp|step",
    r"\bmarks?\b|\bmarked\b": r"= 1\b|= 0\b|= True|= False|= int|= wp|flag|mark|\?|where|if",
    r"\bin double precision": r"float64|double",
    r"\batomic(?:ally)?\b|\badds .* to (?:both|its|the) (?:nodes?|cells?|bodies|corners|vertices)": r"atomic|\+=|\+",
}


def code_of(source):
    """Without comments and docstrings, in one line."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            body[:] = body[1:] or [ast.Pass()]
    return " ; ".join(ast.unparse(tree).split("\n"))


def broken_claims(record):
    summary, code = record["description"].split("\n\n")[0], code_of(record["python_source"])
    for claim, needs in CLAIMS.items():
        if re.search(claim, summary, re.I) and not re.search(needs, code):
            yield claim


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("records")
    parser.add_argument("-v", action="store_true", help="print the kernels, too")
    args = parser.parse_args()
    broken, examples, count = collections.Counter(), {}, 0
    for line in open(args.records, encoding="utf-8"):
        record = json.loads(line)
        count += 1
        for claim in broken_claims(record):
            broken[claim] += 1
            examples.setdefault((claim, record["plan"]["scenes"][0]), record)
    for (claim, scene), record in examples.items():
        print(f"{broken[claim]:5}  '{claim}', scene {scene}: {record['description'].split(chr(10))[0]}")
        if args.v:
            print(record["python_source"])
    print(f"{count} kernels, {sum(broken.values())} claims that the code does not keep")
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
