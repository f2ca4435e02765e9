"""Why answers fail, in groups: a message with names and numbers masked is a group."""

import collections
import re

# Words of a quoted piece of code that say what is wrong; all others are names.
KEPT = re.compile(r"(operator|struct|const|constexpr|void|bool|int|unsigned|char|float|double|long|auto|return|if|else|for|while|extern|inline|template|"
                  r"(u?int|float|double)[234]|__\w+|\d+)$")
WORD = re.compile(r"[A-Za-z_]\w*")
PLACE = re.compile(r"answer\.cu:\d+(:\d+)?: ")
HINT = re.compile(r"; did you mean .*|\[-f[\w-]+\]|\(first use in this function\)")


def masked_code(text):
    """`operator-` and types stay, names are …"""
    return WORD.sub(lambda m: m[0] if KEPT.match(m[0]) else "…", text)


def masked(reason):
    """The first line of a message without places, names and numbers."""
    text = HINT.sub("", PLACE.sub("", reason.split("\n")[0]))
    text = re.sub(r"['‘]([^'’]*)['’]", lambda m: f"'{masked_code(m[1])}'", text)
    return re.sub(r"(?<![\w'])-?\d[\d.]*(e[-+]?\d+)?", "N", text).strip()


def grouped(rows, examples=3):
    """Rows of `weft score` that do not pass: [{message, count, examples}], the most frequent first."""
    groups = collections.defaultdict(list)
    for row in rows:
        if row["score"] == 0:
            groups[masked(row["reason"])].append(row)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return [{"message": message, "count": len(some),
             "examples": [{"id": r["id"], "reason": r["reason"], "difference": r["difference"], "answer": r.get("answer")} for r in some[:examples]]}
            for message, some in ordered]
