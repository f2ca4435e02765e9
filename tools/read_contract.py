#!/usr/bin/env python3
"""Write kernels from prompts of description-to-kernel tasks alone, by rule.

    build/weft tasks SET --kind description-to-kernel -o tasks.jsonl
    tools/read_contract.py tasks.jsonl -o answers.jsonl
    build/weft score tasks.jsonl answers.jsonl --data SET -o results.jsonl

The reader knows nothing but the prompt: the given definitions, the signature, and the steps. So a kernel that passes is determined by
its prompt. It is no model of a programmer: it reads the words that src/synth/contract writes, and refuses all others.
"""

import argparse
import json
import re
import sys

PYTHON = {"wp", "int", "float", "bool", "len", "range", "type", "and", "or", "not", "if", "else", "True", "False", "None", "is", "in"}
TOKEN = re.compile(r'"[^"\n]*"|\d+\.?\d*(?:e[+-]?\d+)?|[A-Za-z_]\w*|\s+|.')
SIGNS = (("≠", "!="), ("≤", "<="), ("≥", ">="), ("·", "*"), ("π", "wp.pi"), (", otherwise ", " else "))
NAME = re.compile(r"[A-Za-z_]\w*")
NUMBER = re.compile(r"-?\d+(\.\d*)?(e[+-]?\d+)?")


class Unreadable(Exception):
    """A sentence that the reader does not know."""


def split_at(text, mark, last=False):
    """The two sides of a mark outside of brackets; None: it is not there."""
    depth, found = 0, None
    for at, char in enumerate(text):
        depth += (char in "([") - (char in ")]")
        if depth == 0 and text.startswith(mark, at):
            found = at
            if not last:
                break
    return None if found is None else (text[:found], text[found + len(mark):])


class Reader:
    """One prompt."""

    def __init__(self, given, steps, kernel_name):
        self.lines, self.known, self.functions, self.lambdas = [], set(PYTHON), set(), {}
        head, _, signature = given.rpartition("@wp.kernel")
        self.given, self.signature = head, "@wp.kernel" + signature
        self.known |= set(re.findall(r"^(?:class )?(\w+)(?: =|\(|:)", head, re.M))
        self.parameters = {a or b for a, b in re.findall(r"^\s*(\w+):|[(,]\s*(\w+):", signature, re.M)}
        self.blocks = steps.strip("\n").split("\n\n")
        self.kernel_name = kernel_name

    # ---- expressions ----

    def expression(self, text):
        text = text.strip()
        for sign, python in SIGNS:
            text = text.replace(sign, python)
        text = text.replace(" = ", " == ")
        tokens = TOKEN.findall(text)
        out = []
        for at, token in enumerate(tokens):
            after = tokens[at + 1] if at + 1 < len(tokens) else ""
            before = out[-1] if out else ""
            is_name = re.match(r"[A-Za-z_]\w*$", token) and before != "."
            keyword = after == "=" and tokens[at + 2 : at + 3] != ["="]
            call = after == "("
            if not is_name or keyword or token in self.known or token in self.functions or (token in self.locals and not call):
                out.append(token)
            elif token == "size" and call:
                out.append("\x00size")
            else:
                out.append("wp." + token)
        return self.sizes("".join(out))

    def sizes(self, text):
        """size(x, 0): x.shape[0]"""
        while "\x00size(" in text:
            before, _, rest = text.rpartition("\x00size(")
            depth, end = 1, 0
            while depth:
                depth += (rest[end] in "([") - (rest[end] in ")]")
                end += 1
            array, axis = split_at(rest[: end - 1], ", ", last=True)
            text = f"{before}{array}.shape[{axis}]{rest[end:]}"
        return text

    def start(self, text):
        """A number that a variable starts with: Warp wants it to be no constant."""
        value = self.expression(text)
        if NUMBER.fullmatch(value):
            return f"float({value})" if "." in value or "e" in value else f"int({value})"
        return value

    # ---- sentences ----

    def put(self, depth, line):
        self.lines.append("    " * (depth + 1) + line)

    def sentence(self, text, depth):
        text = text[0].upper() + text[1:]
        plain = {"The thread is done": "return", "Return": "return", "Do nothing": "pass", "Leave the loop": "break", "Go on with the next turn of the loop": "continue"}
        if text in plain:
            self.put(depth, plain[text])
        elif text.startswith("Let ") or text.startswith("Set "):
            self.setting(text[4:], text.startswith("Let "), depth)
        elif text.startswith("Atomically "):
            self.atomic(text, depth)
        elif text.startswith("Call "):
            self.put(depth, self.expression(text[5:]))
        elif text.startswith("Return "):
            value = text[len("Return "):]
            many = value[0] == "(" and self.whole(value) and split_at(value[1:-1], ", ")
            self.put(depth, "return " + self.expression(value[1:-1] if many else value))
        else:
            self.update(text, depth)

    @staticmethod
    def whole(text):
        """Do the first and the last bracket belong together?"""
        depth = 0
        for at, char in enumerate(text):
            depth += (char in "([") - (char in ")]")
            if depth == 0:
                return at == len(text) - 1
        return False

    def setting(self, text, is_let, depth):
        sides = split_at(text, " be " if is_let else " to ")
        if not sides:
            raise Unreadable(text)
        target, value = sides
        total = re.match(r"the (integer )?sum (?:\((\w+)\) )?of ", value)
        if total:
            self.sum(target, total, value[total.end():], depth)
            return
        if target[0] == "(":
            target = target[1:-1]
        changes = NAME.fullmatch(target) and not is_let
        self.put(depth, f"{self.expression(target)} = {self.start(value) if changes else self.expression(value)}")

    def sum(self, target, total, text, depth):
        zero = "int(0)" if total[1] else f"wp.{total[2]}()" if total[2] else "float(0.0)"
        name = self.expression(target)
        self.put(depth, f"{name} = {zero}")
        term, loops = split_at(text, " over each ")
        where = split_at(loops, ", where ")
        loops, test = where if where else (loops, None)
        while loops:
            first, loops = split_at(loops, " and each ") or (loops, None)
            self.put(depth, self.loop(first))
            depth += 1
        if test:
            self.put(depth, f"if {self.expression(test)}:")
            depth += 1
        self.put(depth, f"{name} += {self.expression(term)}")

    def update(self, text, depth):
        for verb, between, op, first in (("Add ", " to ", "+", False), ("Subtract ", " from ", "-", False), ("Multiply ", " by ", "*", True), ("Divide ", " by ", "/", True)):
            sides = split_at(text[len(verb):], between, last=not first) if text.startswith(verb) else None
            if sides:
                target, value = sides if first else sides[::-1]
                self.put(depth, f"{self.expression(target)} {op}= {self.expression(value)}")
                return
        raise Unreadable(text)

    def atomic(self, text, depth):
        for verb, between, name, first in (("add ", " to ", "add", False), ("subtract ", " from ", "sub", False), ("raise ", " to at least ", "max", True), ("lower ", " to at most ", "min", True)):
            rest = text[len("Atomically "):]
            sides = split_at(rest[len(verb):], between, last=not first) if rest.startswith(verb) else None
            if sides:
                target, value = sides if first else sides[::-1]
                array, index = self.element(target)
                self.put(depth, f"wp.atomic_{name}({self.expression(array)}, {self.expression(index)}, {self.expression(value)})")
                return
        raise Unreadable(text)

    @staticmethod
    def element(target):
        """x[i][j]: x[i] and j."""
        depth = 0
        for at in range(len(target) - 1, -1, -1):
            depth += (target[at] == "]") - (target[at] == "[")
            if depth == 0:
                return target[:at], target[at + 1 : -1]
        raise Unreadable(target)

    def loop(self, text):
        name, rest = split_at(text, " from ")
        steps = split_at(rest, " in steps of ")
        if steps:
            start, rest = steps
            step, end = re.split(r", as long as it is (?:less|greater) than ", rest)
            return f"for {name} in range({self.expression(start)}, {self.expression(end)}, {self.expression(step)}):"
        down = split_at(rest, " down to ")
        start, end = down or split_at(rest, " to ")
        return f"for {name} in range({self.expression(start)}, {self.expression(end)} {'- 1, -1' if down else '+ 1'}):"

    def head(self, text, depth):
        """A step that may have others below it. Returns the sentence behind it; None: it is none such; empty: a list follows."""
        words = (("If ", ", ", "if {}:"), ("Otherwise, if ", ", ", "elif {}:"), ("As long as ", ": ", "while {}:"), ("For each ", ": ", None))
        for word, between, python in words:
            if not text.startswith(word):
                continue
            rest = text[len(word):]
            inline = (rest[:-1], "") if rest.endswith(":") else split_at(rest, between)
            if word == "For each " and not rest.endswith(":"):
                inline = split_at(rest, ": ")
            self.put(depth, python.format(self.expression(inline[0])) if python else self.loop(inline[0]))
            return inline[1]
        if text == "Otherwise:" or text.startswith("Otherwise, "):
            self.put(depth, "else:")
            return text[len("Otherwise, "):] if text != "Otherwise:" else ""
        return None

    def steps(self, lines):
        for line in lines:
            depth = (len(line) - len(line.lstrip(" "))) // 2
            text = line.strip()
            if not text.startswith("- "):
                raise Unreadable(line)
            text = text[2:]
            inline = self.head(text, depth)
            if inline is None:
                self.sentence(text.removesuffix("."), depth)
            elif inline:
                self.sentence(inline.removesuffix("."), depth + 1)

    # ---- the whole ----

    def find_locals(self, lines):
        words = "\n".join(lines)
        found = set(re.findall(r"(?:[Ll]et|[Ss]et|each) (\w+)", words))
        for names in re.findall(r"(?:[Ll]et|[Ss]et) \(([\w, ]+)\) (?:be|to)", words):
            found |= set(names.split(", "))
        return found

    def function(self, block):
        first, *lines = block.split("\n")
        name, parameters = re.match(r"(\w+)\(([\w, ]*)\)", first).groups()
        parameters = [word for word in parameters.split(", ") if word]
        self.locals = set(parameters) | self.find_locals(lines)
        self.lines += ["@wp.func", f"def {name}({', '.join(f'{word}: Any' for word in parameters)}):"]
        rest = first[first.index(")") + 1:]
        if rest == " does nothing.":
            self.put(0, "pass")
        elif rest.startswith(" is "):
            self.sentence("Return " + rest[4:].removesuffix("."), 0)
        else:
            self.steps(lines)
        self.lines += ["", ""]

    def answer(self):
        self.functions = {re.match(r"\w+", block)[0] for block in self.blocks[2:]}
        for block in self.blocks[2:]:
            self.function(block)
        lines = self.blocks[1].split("\n")
        indices = re.match(r"For the thread with ind(?:ex|ices) ([\w, ]+) in the launch", self.blocks[0])
        self.locals = self.parameters | self.find_locals(lines)
        self.lines += self.signature.strip("\n").split("\n")
        if indices:
            self.locals |= set(indices[1].split(", "))
            self.put(0, f"{indices[1]} = wp.tid()")
        self.steps(lines)
        return "from typing import Any\n\n" + self.given.strip("\n") + "\n\n\n" + "\n".join(self.lines) + "\n"


def read(task):
    prompt = task["prompt"]
    given = re.search(r"exactly this signature:\n\n```python\n(.*?)\n```", prompt, re.S)[1]
    steps = re.search(r"\n\n((?:For the thread with|Each thread of the launch).*?)\n\nFunctions that are not described", prompt, re.S)[1]
    behind = re.search(r"Behind the kernel, the answer has:\n\n```python\n(.*?)\n```", prompt, re.S)
    return Reader(given, steps, task["kernel_name"]).answer() + (f"\n\n{behind[1]}\n" if behind else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tasks")
    parser.add_argument("-o", "--output", default="-")
    args = parser.parse_args()
    answers, unread = [], 0
    for line in open(args.tasks, encoding="utf-8"):
        task = json.loads(line)
        if task["kind"] != "description-to-kernel":
            continue
        try:
            answers.append({"id": task["id"], "answer": "```python\n" + read(task) + "```"})
        except (Unreadable, TypeError, ValueError, IndexError, AttributeError) as error:
            unread += 1
            print(f"{task['id']}: {type(error).__name__}: {error}", file=sys.stderr)
    out = sys.stdout if args.output == "-" else open(args.output, "w", encoding="utf-8")
    for answer in answers:
        print(json.dumps(answer), file=out)
    print(f"{len(answers)} prompts read, {unread} not", file=sys.stderr)
    return 1 if unread else 0


if __name__ == "__main__":
    raise SystemExit(main())
