"""The C of this project as text with places: functions, their statements, and expressions with their extent.

Nothing is preprocessed: a macro call is a call, and a `#define` is skipped. So a place is what a reader sees in the file,
also in a body that is included several times. What the parser does not understand it skips and counts; whether a change
compiles is for the compiler to say.
"""

import re

TOKEN = re.compile(
    r"""
    (?P<space>[ \t\f\v\n]+|\\\n)
  | (?P<comment>/\*.*?\*/|//[^\n]*)
  | (?P<string>(?:u8|[LuU])?"(?:\\.|[^"\\])*")
  | (?P<char>[LuU]?'(?:\\.|[^'\\])+')
  | (?P<number>(?:0[xX][0-9a-fA-F]+(?:\.[0-9a-fA-F]*)?(?:[pP][+-]?\d+)?|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[uUlLfF]*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<op>\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#?|[-+*/%&|^~!<>=?:;,.(){}\[\]])
    """,
    re.VERBOSE | re.DOTALL,
)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE | re.DOTALL)
TYPE_MAKERS = ("FN", "__typeof__")  # FN(Mat) is a type or a function, as its argument says
TYPE_WORDS = set("void char short int long float double signed unsigned bool _Bool __int128 struct union enum const volatile".split())
DECLARATION_WORDS = TYPE_WORDS | set("static extern register inline typedef _Thread_local auto".split())
BINARY = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
ASSIGN = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}


class NotUnderstood(Exception):
    pass


class Token:
    __slots__ = ("kind", "text", "start", "end")

    def __init__(self, kind, text, start):
        self.kind, self.text, self.start, self.end = kind, text, start, start + len(text)


class Node:
    """An expression or a statement: its kind, its extent in bytes of the text, its parts in order."""

    __slots__ = ("kind", "start", "end", "parts", "op", "extra")

    def __init__(self, kind, start, end, parts=(), op=None, extra=None):
        self.kind, self.start, self.end, self.parts, self.op, self.extra = kind, start, end, list(parts), op, extra

    def walk(self):
        yield self
        for part in self.parts:
            yield from part.walk()


def tokenize(text):
    """The tokens; preprocessor lines are blanked out first, so that offsets stay."""
    text = DIRECTIVE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), blank_comments(text))
    tokens, at = [], 0
    while at < len(text):
        found = TOKEN.match(text, at)
        if not found:
            raise NotUnderstood(f"character {text[at]!r} at {at}")
        if found.lastgroup not in ("space", "comment"):
            tokens.append(Token(found.lastgroup, found.group(), at))
        at = found.end()
    return tokens


def blank_comments(text):
    pattern = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|/\*.*?\*/|//[^\n]*', re.DOTALL)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()) if m.group()[0] == "/" else m.group(), text)


def type_names(texts):
    """Names that are types anywhere in the project."""
    names = {"T", "FILE", "DIR", "ZSTD_DStream", "json_t", "va_list"}
    for text in texts:
        text = blank_comments(text)
        names.update(re.findall(r"\btypedef\b[^;{]*?\b(\w+)\s*;", text))
        names.update(re.findall(r"^\}\s*(\w+)\s*;", text, re.MULTILINE))
        names.update(re.findall(r"\btypedef\s+(?:struct|union|enum)\b[^{};]*\{[^{}]*\}\s*(\w+)\s*;", text))
        names.update(re.findall(r"\btypedef\b[^;{]*\(\*?(\w+)\)\s*\(", text))
        names.update(re.findall(r"\btypedef\b[^;{(]*?\b(\w+)\s*\(", text))
        names.update(re.findall(r"\btypedef (?:struct|union|enum) \w+ (\w+);", text))
    return names


def zero_enumerators(texts):
    """Names of enumerators that are 0: the first of an enum, unless it says otherwise."""
    names = set()
    for text in texts:
        names.update(re.findall(r"\benum\b[^{};()]*\{\s*(\w+)\s*(?:=\s*0\s*)?[,}]", blank_comments(text)))
    return names


class Parser:
    def __init__(self, text, types):
        self.text, self.types = text, types
        self.tokens = tokenize(text)
        self.at = 0
        self.skipped = 0  # statements that were not understood

    # ---- tokens ----

    def peek(self, ahead=0):
        i = self.at + ahead
        return self.tokens[i].text if i < len(self.tokens) else ""

    def kind(self, ahead=0):
        i = self.at + ahead
        return self.tokens[i].kind if i < len(self.tokens) else ""

    def take(self, text=None):
        if self.at >= len(self.tokens) or (text and self.tokens[self.at].text != text):
            raise NotUnderstood(f"expected {text}, found {self.peek()}")
        self.at += 1
        return self.tokens[self.at - 1]

    def start(self):
        return self.tokens[self.at].start if self.at < len(self.tokens) else len(self.text)

    def end(self):
        return self.tokens[self.at - 1].end

    def skip_balanced(self):
        """Over the bracket that is here, to after its partner."""
        depth = 0
        while True:
            text = self.take().text
            depth += text in ("(", "[", "{")
            depth -= text in (")", "]", "}")
            if depth == 0:
                return

    # ---- the file ----

    def functions(self):
        """The bodies of all functions, and the arguments of macros that make functions."""
        found = []
        while self.at < len(self.tokens):
            begin = self.at
            if self.kind() == "name" and self.peek(1) == "(" and self.starts_line():
                name = self.take()
                try:
                    call = self.call_arguments(Node("name", name.start, name.end))
                except NotUnderstood:
                    call = None
                if call and self.peek() not in ("{", ";", "=", ",", "__attribute__"):
                    found.append(call)
                    continue
                self.at = begin
            self.outer(found)
        return found

    def starts_line(self):
        start = self.tokens[self.at].start
        return start == 0 or self.text[start - 1] == "\n"

    def outer(self, found):
        """One declaration or definition at the outer level."""
        function = False
        while self.at < len(self.tokens):
            text = self.peek()
            if text == ";":
                self.at += 1
                return
            if text == "{":
                if not function:
                    self.skip_balanced()
                    continue
                found.append(self.block())
                return
            if text in ("(", "["):
                self.skip_balanced()
                function = text == "("
                continue
            if text == "=":
                function = False
                while self.peek() != ";":
                    self.skip_balanced() if self.peek() in ("(", "[", "{") else self.take()
                continue
            if text not in ("__attribute__",) and self.kind() != "name":
                function = False
            self.at += 1

    # ---- statements ----

    def block(self):
        start = self.take("{").start
        parts = []
        while self.peek() != "}":
            if not self.peek():
                raise NotUnderstood("end of file in a block")
            parts.append(self.statement())
        self.take("}")
        return Node("block", start, self.end(), parts)

    def statement(self):
        begin = self.at
        try:
            return self.statement_here()
        except NotUnderstood:
            self.skipped += 1
            self.at = begin
            start = self.start()
            while self.peek() and self.peek() not in (";", "}"):
                if self.peek() in ("(", "[", "{"):
                    self.skip_balanced()
                    if self.text[self.end() - 1] == "}" and self.peek() not in (";", ",", ")"):
                        break
                else:
                    self.take()
            if self.peek() == ";":
                self.take()
            if self.at == begin:
                self.take()
            return Node("skipped", start, self.end())

    def statement_here(self):
        start, word = self.start(), self.peek()
        if word == "{":
            return self.block()
        if word == ";":
            self.take()
            return Node("empty", start, self.end())
        known = getattr(self, f"{word}_statement", None) if self.kind() == "name" else None
        if known:
            return known(start)
        if self.kind() == "name" and self.peek(1) == ":" and word != "default":
            self.at += 2
            return Node("label", start, self.end(), [self.statement()])
        if self.is_declaration():
            node = self.declaration()
            self.take(";")
            node.end = self.end()
            return node
        value = self.expression()
        if value.kind == "call" and self.peek() != ";":  # a macro that makes a loop
            return Node("loop", start, self.end(), [self.statement()])
        self.take(";")
        return Node("expression", start, self.end(), [value])

    def if_statement(self, start):
        self.take()
        self.take("(")
        parts = [self.expression()]
        self.take(")")
        parts.append(self.statement())
        if self.peek() == "else":
            self.take()
            parts.append(self.statement())
        return Node("if", start, self.end(), parts)

    def while_statement(self, start):
        self.take()
        self.take("(")
        condition = self.expression()
        self.take(")")
        return Node("while", start, self.end(), [condition, self.statement()])

    def do_statement(self, start):
        self.take()
        body = self.statement()
        self.take("while")
        self.take("(")
        condition = self.expression()
        self.take(")")
        self.take(";")
        return Node("do", start, self.end(), [body, condition])

    def for_statement(self, start):
        self.take()
        self.take("(")
        parts, condition = [], None
        if self.peek() != ";":
            parts.append(self.declaration() if self.is_declaration() else self.expression())
        self.take(";")
        if self.peek() != ";":
            condition = self.expression()
            parts.append(condition)
        self.take(";")
        if self.peek() != ")":
            parts.append(self.expression())
        self.take(")")
        parts.append(self.statement())
        return Node("for", start, self.end(), parts, extra=condition)

    def switch_statement(self, start):
        self.take()
        self.take("(")
        value = self.expression()
        self.take(")")
        return Node("switch", start, self.end(), [value, self.statement()])

    def case_statement(self, start):
        self.take()
        while self.peek() != ":":
            self.skip_balanced() if self.peek() in ("(", "[", "{") else self.take()
        self.take(":")
        return Node("case", start, self.end())

    def default_statement(self, start):
        self.take()
        self.take(":")
        return Node("case", start, self.end())

    def return_statement(self, start):
        self.take()
        parts = [] if self.peek() == ";" else [self.expression()]
        self.take(";")
        return Node("return", start, self.end(), parts)

    def break_statement(self, start):
        word = self.take().text
        self.take(";")
        return Node(word, start, self.end())

    continue_statement = break_statement

    def goto_statement(self, start):
        self.take()
        self.take()
        self.take(";")
        return Node("goto", start, self.end())

    def is_declaration(self):
        if self.peek() in DECLARATION_WORDS:
            return True
        if self.kind() != "name" or self.peek() in ("sizeof",):
            return False
        ahead = 4 if self.peek() in TYPE_MAKERS and self.peek(3) == ")" else 1
        while self.peek(ahead) in ("*", "const", "restrict"):
            ahead += 1
        return self.kind(ahead) == "name"

    def declaration(self):
        """A declaration without its semicolon; its parts are the initialisers (none of a static one)."""
        start, fixed = self.start(), self.peek() in ("static", "extern", "typedef")
        parts = []
        while self.peek() not in (";", ")", ""):
            if self.peek() == "=":
                self.take()
                value = self.initialiser()
                if not fixed:
                    parts.append(value)
            elif self.peek() in ("(", "[", "{"):
                self.skip_balanced()
            else:
                self.take()
        return Node("declaration", start, self.end(), parts)

    def initialiser(self):
        if self.peek() != "{":
            return self.assignment()
        start = self.take("{").start
        parts = []
        while self.peek() != "}":
            while self.peek() in (".", "["):  # a designator
                if self.peek() == ".":
                    self.at += 2
                else:
                    self.skip_balanced()
                if self.peek() == "=":
                    self.take()
            parts.append(self.initialiser())
            if self.peek() != "}":
                self.take(",")
        self.take("}")
        return Node("braces", start, self.end(), parts)

    # ---- expressions ----

    def expression(self):
        start = self.start()
        parts = [self.assignment()]
        while self.peek() == ",":
            self.take()
            parts.append(self.assignment())
        return parts[0] if len(parts) == 1 else Node("comma", start, self.end(), parts)

    def assignment(self):
        start = self.start()
        left = self.conditional()
        if self.peek() in ASSIGN:
            op = self.take()
            right = self.assignment()
            return Node("assign", start, self.end(), [left, right], op)
        return left

    def conditional(self):
        start = self.start()
        condition = self.binary(1)
        if self.peek() != "?":
            return condition
        self.take()
        yes = self.expression()
        self.take(":")
        no = self.conditional()
        return Node("conditional", start, self.end(), [condition, yes, no])

    def binary(self, level):
        start = self.start()
        left = self.unary()
        while BINARY.get(self.peek(), 0) >= level:
            op = self.take()
            right = self.binary(BINARY[op.text] + 1)
            left = Node("binary", start, self.end(), [left, right], op)
        return left

    def unary(self):
        start = self.start()
        if self.peek() == "sizeof":
            self.take()
            if self.peek() == "(":
                self.skip_balanced()
            else:
                self.unary()
            return Node("sizeof", start, self.end())
        if self.peek() in ("!", "~", "-", "+", "*", "&", "++", "--"):
            op = self.take()
            value = self.unary()
            return Node("unary", start, self.end(), [value], op)
        if self.peek() == "(" and self.is_type_in_brackets():
            self.skip_balanced()
            if self.peek() == "{":
                return self.postfix(self.initialiser(), start)
            value = self.unary()
            return Node("cast", start, self.end(), [value])
        return self.postfix(self.primary(), start)

    def is_type_in_brackets(self):
        ahead, words, stars = 1, [], 0
        if self.peek(1) in TYPE_MAKERS and self.peek(4) == ")":
            ahead, words = 5, ["void"]
        while self.peek(ahead) not in (")", ""):
            text = self.peek(ahead)
            if text in ("*", "[", "]"):
                stars += 1
            elif self.kind(ahead) == "name" and not (stars and text != "const"):
                words.append(text)
            elif self.kind(ahead) != "number":
                return False
            ahead += 1
        if not words or any(w not in self.types and w not in TYPE_WORDS and not w.endswith("_t") for w in words):
            known = [w for w in words if w in ("struct", "enum", "union")]
            if not known:
                return False
        after, kind = self.peek(ahead + 1), self.kind(ahead + 1)
        return kind in ("name", "number", "string", "char") or after in ("(", "-", "+", "*", "&", "!", "~", "{", "++", "--")

    def primary(self):
        start = self.start()
        if self.peek() == "(":
            self.take()
            value = self.expression()
            self.take(")")
            return Node("brackets", start, self.end(), [value])
        kind = self.kind()
        if kind == "string":
            while self.kind() == "string" or (self.kind() == "name" and self.peek().startswith("PRI")):
                self.take()
            return Node("string", start, self.end())
        if kind in ("number", "char", "name") and self.peek() not in TYPE_WORDS:
            self.take()
            return Node(kind, start, self.end())
        raise NotUnderstood(f"found {self.peek()}")

    def postfix(self, node, start):
        while True:
            text = self.peek()
            if text == "(":
                node = self.call_arguments(node)
            elif text == "[":
                self.take()
                index = self.expression()
                self.take("]")
                node = Node("index", start, self.end(), [node, index])
            elif text in (".", "->"):
                self.at += 2
                node = Node("member", start, self.end(), [node])
            elif text in ("++", "--"):
                op = self.take()
                node = Node("postfix", start, self.end(), [node], op)
            else:
                return node

    def call_arguments(self, callee):
        self.take("(")
        parts = [callee]
        while self.peek() != ")":
            parts.append(self.argument())
            if self.peek() != ")":
                self.take(",")
        self.take(")")
        return Node("call", callee.start, self.end(), parts)

    def argument(self):
        begin = self.at
        try:
            node = self.assignment() if self.peek() != "{" else None
            if node and self.peek() in (",", ")"):
                return node
        except NotUnderstood:
            pass
        self.at = begin  # a type, or a piece of text for a macro
        start = self.start()
        while self.peek() not in (",", ")", ""):
            self.skip_balanced() if self.peek() in ("(", "[", "{") else self.take()
        return Node("opaque", start, self.end())
