#!/usr/bin/env python3
"""The prose of documents, comments, messages and CRDs, and identifiers: Vale with the project's style, codespell, and
the list of identifiers. One check a file; then the work list with its findings; the last line is the total.

    prose.py VALE CODESPELL [PATH...]    PATH: only files below it, all findings, whatever the work list says"""
import collections
import json
import os
import subprocess
import sys

import words

OUT = os.path.join(words.ROOT, ".build/prose/text")


def write_stream(path, name, text):
    to = os.path.join(OUT, path + name)
    os.makedirs(os.path.dirname(to), exist_ok=True)
    with open(to, "w", encoding="utf-8") as f:
        f.write(text)
    return to


def vale(program, paths):
    """(path, line, rule, what). C and documents as they are; messages and descriptions as texts of as many lines."""
    origin = {}
    for path in paths:
        if path.endswith(".yaml"):
            origin[write_stream(path, ".txt", words.descriptions(words.read(path)))] = path
        elif words.SCRIPT.match(path):
            origin[write_stream(path, ".txt", words.script_comments(path, words.read(path)))] = path
        else:
            origin[os.path.join(words.ROOT, path)] = path
        if words.CODE.match(path):
            origin[write_stream(path, ".txt", words.messages(words.read(path)))] = path
    names = list(origin)
    for start in range(0, len(names), 200):
        run = subprocess.run([program, "--config", os.path.join(words.HERE, "vale.ini"), "--no-global", "--output=JSON", *names[start:start + 200]],
                             capture_output=True, text=True)
        if run.returncode not in (0, 1):
            sys.exit(f"vale: {run.stdout}{run.stderr}")
        for name, alerts in json.loads(run.stdout).items():
            for a in alerts:
                yield origin[name], a["Line"], a["Check"].split(".")[-1], a["Message"]


def codespell(program, paths):
    run = subprocess.run([program, "--builtin", "clear,rare,en-GB_to_en-US", "--ignore-words", os.path.join(words.HERE, "spelled-so"), *paths],
                         capture_output=True, text=True, cwd=words.ROOT)
    if run.returncode not in (0, 65):
        sys.exit(f"codespell: {run.stderr}")
    for line in run.stdout.splitlines():
        path, number, what = line.split(":", 2)
        yield path.removeprefix("./"), int(number), "Spelling", what.strip()


def main():
    vale_program, codespell_program, *only = sys.argv[1:]
    paths = [p for p in words.files() if not only or p.startswith(tuple(only))]
    if not paths:
        sys.exit(f"prose.py: no file that is checked begins with {' or '.join(only)}")
    found = list(vale(vale_program, paths)) + list(codespell(codespell_program, paths))
    banned, instead = words.parts(), words.swaps()
    found += [(p, n, "Words", what) for p in paths for n, what in words.names_found(p, banned, instead)]
    todo, left, wrong = words.Todo(), collections.Counter(), set()
    for path, line, rule, what in sorted(found):
        entry = None if only else todo.of(path, rule)
        if entry:
            left[entry] += 1
            continue
        print(f"{path}:{line}: {what}")
        wrong.add(path)
    for path in sorted(wrong):
        print(f"not ok - {path}")
    passed = [p for p in paths if p not in wrong and (only or not todo.of(p))]
    failed = len(wrong)
    if not only:
        print("\nStill to be cleaned (tests/check/prose/todo):")
        for entry, rules in todo.entries.items():
            print(f"{left[entry]:6} {entry} {' '.join(sorted(rules))}")
            if not left[entry]:
                print(f"not ok - todo: {entry} is clean: delete its line")
                failed += 1
        print(f"{sum(left.values()):6} findings\n")
    print(f"{len(passed)} passed, {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(bool(main()))
