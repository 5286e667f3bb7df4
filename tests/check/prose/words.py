#!/usr/bin/env python3
"""The words of Words.yml and identifiers, without any tool: what make check runs, and what prose.py adds to Vale.

    words.py        over all files but those that the work list (todo) names"""
import io
import os
import re
import subprocess
import sys
import tokenize

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "../../.."))
DOCUMENTS = re.compile(r"^(?:[A-Z]+\.md|deploy/docs/.*\.md|helm/[^/]+/README\.md|tests/(?:.+/)?README\.md|\.github/.*\.md)$")
CODE = re.compile(r"^(?:controller|tests)/.*\.(?:[ch]|js)$")
SCRIPT = re.compile(r"^(?:Makefile|\.ci/run|(?:tests|deploy)/.*\.(?:py|sh))$")
TOKEN = re.compile(r'(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<string>"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|(?P<char>\'(?:\\.|[^\'\\\n])+\')', re.S)


def swaps():
    """(pattern, replacement) of Words.yml, whose patterns are all in quotes."""
    with open(os.path.join(HERE, "styles/Goodput/Words.yml")) as f:
        found = re.findall(r"^  '(.*)': (.*)$", f.read(), re.M)
    return [(re.compile(pattern.replace("''", "'"), re.I), instead) for pattern, instead in found]


def parts():
    with open(os.path.join(HERE, "identifiers")) as f:
        return dict(line.split(None, 1) for line in f.read().splitlines() if line and line[0] != "#")


class Todo:
    """The work list: a line is a path, and the rules that its files may still break (none: all)."""

    def __init__(self):
        self.entries = {}
        with open(os.path.join(HERE, "todo")) as f:
            for line in f.read().splitlines():
                if line and line[0] != "#":
                    path, *rules = line.split()
                    self.entries[path] = set(rules)

    def of(self, path, rule=None):
        """The entry that covers a file: wholly, or for one rule."""
        for entry, rules in self.entries.items():
            if (path == entry or path.startswith(entry.rstrip("/") + "/")) and (not rules or rule in rules):
                return entry
        return None


def is_generated(path):
    """A page of the reference, whose text is checked at its source."""
    return path.startswith("deploy/docs/reference/") and "Written by tests/check/reference.py" in read(path)


def files():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    return [p for p in listed if (DOCUMENTS.match(p) or CODE.match(p) or SCRIPT.match(p) or re.match(r"crds/.*\.yaml$", p))
            and os.path.exists(os.path.join(ROOT, p)) and not is_generated(p)]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as f:
        return f.read()


def kept_lines(text, pieces):
    """The pieces, (offset, text), on the lines where they stand in the text, and nothing else."""
    out = [""] * (text.count("\n") + 1)
    for offset, piece in pieces:
        for i, line in enumerate(piece.split("\n"), text.count("\n", 0, offset)):
            out[i] += line + " "
    return "\n".join(line.rstrip() for line in out) + "\n"


def comments(text):
    return kept_lines(text, [(m.start(), m[0]) for m in TOKEN.finditer(text) if m["comment"]])


def messages(text):
    """String literals that hold a sentence: two words with a space between them."""
    return kept_lines(text, [(m.start(), re.sub(r"\\[nt\"\\]", " ", m[0][1:-1])) for m in TOKEN.finditer(text)
                             if m["string"] and re.search(r"[A-Za-z]{2,} [A-Za-z]{2,}", m[0])])


def descriptions(text):
    """The values of description: in a CRD, also over several lines."""
    out, depth = [], None
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip())
        if depth is not None and (not line.strip() or indent > depth):
            out.append(line.strip())
            continue
        found = re.match(r"( *)description: *(?:[>|][-+]?)?(.*)", line)
        depth = len(found[1]) if found else None
        out.append(found[2].strip(" '\"") if found else "")
    return "\n".join(out) + "\n"


def python_tokens(text):
    """(offset, token) of Python."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        yield starts[token.start[0] - 1] + token.start[1], token


def script_comments(path, text):
    """Comments; of Python also docstrings: strings that begin their line."""
    if not path.endswith(".py"):
        return kept_lines(text, [(m.start(), m[0]) for m in re.finditer(r"(?:^|(?<=\s))#(?!!)[^\n]*", text)])
    return kept_lines(text, [(at, t.string) for at, t in python_tokens(text) if t.type == tokenize.COMMENT or
                             (t.type == tokenize.STRING and t.string.startswith('"""') and not t.line[:t.start[1]].strip())])


def names(path):
    """(offset, name) in a file of C or Python."""
    text = read(path)
    if path.endswith(".py"):
        return [(at, t.string) for at, t in python_tokens(text) if t.type == tokenize.NAME]
    text = TOKEN.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    text = re.sub(r"^#include.*", "", text, flags=re.M)
    return [(m.start(), m[0]) for m in re.finditer(r"[A-Za-z_]\w+", text)]


def test_names(path, instead):
    """(line, what) of each TEST(...) whose name, a sentence, has words that prose does not use."""
    text = read(path)
    for m in re.finditer(r"^TEST\((\w+)\)", text, re.M):
        for pattern, better in instead:
            for word in pattern.finditer(m[1].replace("_", " ")):
                yield text.count("\n", 0, m.start()) + 1, f"{m[1]}: '{word[0]}' in a test's name; write {better}"


def identifiers(path, banned):
    """(line, what) of each identifier's first use in a file that has a part which is not used."""
    text, seen = read(path), set()
    for at, name in names(path):
        if name in seen or name.startswith(("CURL", "LWS_", "CU_", "most_common")):
            continue
        seen.add(name)
        named = name.lower().split("_")
        for part, before in zip(named, [None, *named]):
            if part in banned and not (before == "at" and len(named) > 4):  # a test's sentence: ..._at_most_five
                yield text.count("\n", 0, at) + 1, f"{name}: '{part}' in a name; write {banned[part]}"


def names_found(path, banned, instead):
    """(line, what) of names, in a file that has names."""
    if not CODE.match(path) and not path.endswith(".py"):
        return []
    return [*identifiers(path, banned), *(test_names(path, instead) if CODE.match(path) else [])]


def streams(path):
    """The prose of a file, with its line numbers kept."""
    text = read(path)
    if CODE.match(path):
        return [comments(text), messages(text)]
    if SCRIPT.match(path):
        return [script_comments(path, text)]
    return [descriptions(text)] if path.endswith(".yaml") else [text]


def main():
    todo, banned, instead, wrong = Todo(), parts(), swaps(), 0
    for path in files():
        if todo.of(path, "Words"):
            continue
        found = [(n, f"'{m[0]}': write {better}") for stream in streams(path) for n, line in enumerate(stream.split("\n"), 1)
                 for pattern, better in instead for m in pattern.finditer(line)]
        found += names_found(path, banned, instead)
        wrong += len(found)
        for line, what in sorted(found):
            print(f"{path}:{line}: {what}")
    return wrong


if __name__ == "__main__":
    sys.exit(bool(main()))
