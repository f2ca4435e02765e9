"""The small changes: for each kind of place, what may stand there instead.

A change is a text that replaces the text of one expression or statement. Changes of expressions keep their type, so that
the original and the changed text can stand in one `?:`.
"""

import collections
import re

# kind: expression or statement; text: what stands there when the change is switched on
Change = collections.namedtuple("Change", "node form what text")

RELATIONS = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
}  # fmt: skip
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "&": "|", "|": "&", "^": "&", "<<": ">>", ">>": "<<"}
ASSIGNMENTS = {
    "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "%=": "*=", "&=": "|=", "|=": "&=", "^=": "&=", "<<=": ">>=", ">>=": "<<=",
}  # fmt: skip
LOGICAL = {"&&": "||", "||": "&&"}
LOOPS = {"for": -1, "while": -1, "do": 0, "loop": -1}  # kind: where its body stands among its parts
CONDITIONS = {"if": 0, "while": 0, "do": 1, "conditional": 0}
BOOLEAN = {"true": "false", "false": "true"}
NOT_DROPPED = {"va_start", "va_end"}
# Changes that nothing can notice are not made: memory given back later (a leak; the sanitizers of `make asan` look for
# those), locks that are all zero as locks are that were made ready, and the two sides of what does not care which is which.
GIVES_BACK = re.compile(r"free|\w+_free|ZSTD_free\w+|scratch_release|json_decref|pthread_(mutex|cond)_(destroy|init)")
SAME_EITHER_WAY = {"types_equal", "fmax", "fmin", "calloc", "json_equal", "same_but_for_comments", "ADD", "MUL", "FN(vec_dot)"}
ARITHMETIC_OF_DUALS = {"add", "mul", "number_add", "number_mul"}  # of (m, a, b)
# Any odd number will do in a hash that is only ever compared with itself.
HASHES = {"1099511628211u", "14695981039346656037u"}
BITS_OF_BOTH = {"OP_BIT_AND", "OP_BIT_OR", "OP_BIT_XOR"}  # number_bits(m, op, a, b)
SAYS_NOTHING = re.compile(r"\(void\)\w+;")  # to the compiler alone
COMPARES = {"strcmp", "strncmp", "memcmp"}  # with 0, for equality
# More memory than is needed changes nothing; less is for the sanitizers, and is changed.
ALLOCATES = re.compile(r"ARENA_(ARRAY|NEW)|arena_\w*alloc\w*|\w*(malloc|calloc|realloc)|arena_zalloc|text_(room|reserve)")
# Whether there is a message at all: none has one character alone.
MESSAGE = re.compile(r"(\w+(->|\.))*message\[0\]")
CAPACITY = re.compile(r"(.*\W)?(\w*_)?(cap|capacity)")


def breaks_of(node):
    """The breaks that leave the statement around `node`, not one within it."""
    if node.kind == "break":
        yield node
    elif node.kind != "switch" and node.kind not in LOOPS:
        for part in node.parts:
            yield from breaks_of(part)


class Changes:
    def __init__(self, text, zeros=()):
        self.text = text
        self.zeros = zeros  # names of enumerators that are 0
        self.found = []
        self.equalities = set()  # calls of COMPARES that only ask whether both are the same
        self.sizes = set()  # numbers in sizes of memory
        self.kept = set()  # numbers that any other could stand for
        self.ends_turn = set()  # breaks behind which a turn of a loop has nothing left to do: `continue` is the same

    def of(self, node):
        return self.text[node.start : node.end]

    def add(self, node, what, text, form="expression"):
        if " ".join(text.split()) != " ".join(self.of(node).split()):
            self.found.append(Change(node, form, what, text))

    def collect(self, root):
        self.visit(root)
        seen, unique = set(), []
        for change in self.found:
            key = (change.node.start, change.node.end, "".join(change.text.split()))
            if key not in seen:
                seen.add(key)
                unique.append(change)
        return unique

    def visit(self, node):
        method = getattr(self, f"visit_{node.kind}", None)
        if method:
            method(node)
        if node.kind in CONDITIONS:
            self.condition(node.parts[CONDITIONS[node.kind]])
        if node.kind == "for" and node.extra:
            self.condition(node.extra)
        if node.kind in LOOPS:
            self.mark_ends(node.parts[LOOPS[node.kind]])
        for part in node.parts:
            self.visit(part)

    def mark_ends(self, node):
        """Marks the breaks of a switch that a loop's body ends with."""
        if node.kind == "block" and node.parts:
            self.mark_ends(node.parts[-1])
        elif node.kind == "switch":
            self.ends_turn.update(id(found) for found in breaks_of(node.parts[1]))

    # ---- expressions ----

    def visit_binary(self, node):
        left, right, op = self.of(node.parts[0]), self.of(node.parts[1]), node.op.text
        if op in ("==", "!=") and right == "0" and node.parts[0].kind == "call":
            self.equalities.add(id(node.parts[0]))
        for other in RELATIONS.get(op, []):
            self.add(node, f"{op} becomes {other}", f"{left} {other} {right}")
        if op in ARITHMETIC:
            self.add(node, f"{op} becomes {ARITHMETIC[op]}", f"{left} {ARITHMETIC[op]} {right}")
        if op in LOGICAL:
            self.equalities.update(id(part) for part in node.parts)
            self.add(node, f"{op} becomes {LOGICAL[op]}", f"({left}) {LOGICAL[op]} ({right})")
            self.add(node, f"only the left side of {op}", f"!!({left})")
            self.add(node, f"only the right side of {op}", f"!!({right})")

    def visit_unary(self, node):
        value, op = self.of(node.parts[0]), node.op.text
        if op == "!":
            self.equalities.add(id(node.parts[0]))
            self.add(node, "! dropped", f"!!{value}")
        elif op in ("-", "~"):
            self.add(node, f"{op} dropped", f"+{value}")
        elif op in ("++", "--"):
            self.add(node, f"{op} becomes {'--' if op == '++' else '++'}", f"{'--' if op == '++' else '++'}{value}")

    def visit_postfix(self, node):
        value, other = self.of(node.parts[0]), "--" if node.op.text == "++" else "++"
        self.add(node, f"{node.op.text} becomes {other}", f"{value}{other}")

    def visit_number(self, node):
        number = self.of(node)
        if number in HASHES or id(node) in self.kept:
            return
        real = not number.lower().startswith("0x") and any(c in number.lower() for c in ".ef")
        if id(node) not in self.sizes:
            self.add(node, f"{number} one more", f"{number} + 1")
        if real:
            self.add(node, f"{number} becomes 0", f"{number} - {number}")
        else:
            self.add(node, f"{number} one less", f"{number} - 1")

    def visit_index(self, node):
        if MESSAGE.fullmatch(self.of(node)):
            self.kept.add(id(node.parts[1]))

    def visit_name(self, node):
        word = self.of(node)
        if word in BOOLEAN:
            self.add(node, f"{word} becomes {BOOLEAN[word]}", BOOLEAN[word])

    def visit_call(self, node):
        arguments = node.parts[1:]
        if ALLOCATES.fullmatch(self.of(node.parts[0])):
            self.mark_sizes(node)
        for place, (one, two) in enumerate(zip(arguments, arguments[1:])):
            if self.is_symmetric(node, place):
                continue
            if "opaque" in (one.kind, two.kind) or self.of(one) == self.of(two):
                continue
            text = self.text[node.start : one.start] + self.of(two) + self.text[one.end : two.start] + self.of(one)
            self.add(node, f"arguments {self.short(one)} and {self.short(two)} swapped", text + self.text[two.end : node.end])

    def is_symmetric(self, node, place):
        """Whether the arguments at `place` and behind it may be swapped."""
        callee, first = self.of(node.parts[0]), self.of(node.parts[1])
        if callee in COMPARES:
            return place == 0 and id(node) in self.equalities
        if callee == "number_bits":
            return place == 2 and self.of(node.parts[2]) in BITS_OF_BOTH
        return callee in SAME_EITHER_WAY or (callee in ARITHMETIC_OF_DUALS and first in ("m", "&m") and place == 1)

    def visit_assign(self, node):
        if CAPACITY.fullmatch(self.of(node.parts[0])):
            self.mark_sizes(node.parts[1])

    def mark_sizes(self, node):
        self.sizes.add(id(node))
        for part in node.parts:
            self.mark_sizes(part)

    def condition(self, node):
        self.equalities.add(id(node))
        self.add(node, "condition negated", f"!({self.of(node)})")

    # ---- statements ----

    def visit_if(self, node):
        condition = node.parts[0]
        self.add(condition, "branch never taken", "0")
        if len(node.parts) == 3:
            self.add(condition, "other branch never taken", "1")

    def visit_expression(self, node):
        value = node.parts[0]
        callee = self.of(value.parts[0]) if value.kind == "call" else ""
        if callee in NOT_DROPPED or GIVES_BACK.fullmatch(callee) or SAYS_NOTHING.match(self.of(node)):
            return
        self.add(node, "statement dropped", "", "statement")
        if value.kind == "assign" and value.op.text in ASSIGNMENTS:
            left, right, op = self.of(value.parts[0]), self.of(value.parts[1]), value.op.text
            self.add(node, f"{op} becomes {ASSIGNMENTS[op]}", f"{left} {ASSIGNMENTS[op]} {right};", "statement")

    def visit_return(self, node):
        if not node.parts:
            self.add(node, "return dropped", "", "statement")
            return
        value = node.parts[0]
        text = self.of(value)
        if value.kind == "binary" and value.op.text in (*RELATIONS, *LOGICAL):
            self.add(value, "returned value negated", f"!({text})")
        elif text not in ("0", "NULL", *BOOLEAN) and text not in self.zeros:
            self.add(value, "0 returned", "0")

    def visit_break(self, node):
        if id(node) in self.ends_turn:
            return
        self.add(node, "break becomes continue", "continue;", "statement")

    def visit_continue(self, node):
        self.add(node, "continue becomes break", "break;", "statement")

    def short(self, node):
        text = " ".join(self.of(node).split())
        return text if len(text) < 30 else text[:27] + "…"
