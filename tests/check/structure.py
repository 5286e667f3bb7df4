#!/usr/bin/env python3
"""structure.py OBJECTS: who calls whom, by nm over the objects of a build (.build/release/obj/controller).

Fails where operator/ is not one way (a folder calls only those left of it in ORDER), where files call each other in a
cycle, and where a header declares a function that another .c than its own defines (x.h: x.c, and x_internal.h: x.c).
Fails also where a function is external without need: no other file of the product uses it, and neither do both its own
file and a test (a part that is tested by itself). The last line is the total; -v prints the calls between folders."""
import collections
import os
import re
import subprocess
import sys

ORDER = [f"operator/{room}" for room in "objects store job facts status model runtime".split()]


def read(root):
    """({symbol: file that defines it}, {file: symbols that it uses}, the functions of the first), files without suffix."""
    defined, used, functions = {}, {}, {}
    for folder, _, names in os.walk(root):
        for name in names:
            if not name.endswith(".o"):
                continue
            path = os.path.join(folder, name)
            source = os.path.relpath(path, root)[:-2]
            if not os.path.exists(f"controller/{source}.c"):
                continue  # of a file that was moved
            used[source] = set()
            for line in subprocess.run(["nm", "-P", path], check=True, capture_output=True, text=True).stdout.splitlines():
                symbol, kind = line.split()[:2]
                if kind in "TDBRC":
                    defined[symbol] = source
                    if kind == "T":
                        functions[symbol] = source
                elif kind == "U":
                    used[source].add(symbol)
    return defined, used, functions


def cycles(calls):
    """The strongly connected components with more than one file (Tarjan 1972)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in calls[node]:
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10000)
    for node in sorted(calls):
        if node not in index:
            visit(node)
    return found


def strangers(defined):
    """What headers declare that another .c defines."""
    for folder, _, names in sorted(os.walk("controller")):
        for name in sorted(names):
            if not name.endswith(".h"):
                continue
            header = os.path.relpath(f"{folder}/{name}", "controller")
            own = re.sub("(_internal)?[.]h$", "", header)
            with open(f"controller/{header}") as file:
                text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
            for function in re.findall(r"^(?!static|typedef)[a-z][\w \*]*?[ \*](\w+)\([^{}]*?\)\s*;", text, flags=re.M):
                if defined.get(function) != own:
                    yield f"{header} declares {function}() of {defined.get(function, 'no file')}"


def words(path):
    with open(path) as file:
        return collections.Counter(re.findall(r"\w+", re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)))


def unneeded(defined, used):
    """External functions that no other file of the product uses. A use in the own file or in a test is a word there."""
    everywhere = set().union(*used.values())
    tests = set()
    for folder, _, names in os.walk("tests"):
        for name in names:
            if name.endswith((".c", ".h")):
                tests |= words(os.path.join(folder, name)).keys()
    headers = set()  # a macro or an inline function of a header uses it
    for folder, _, names in os.walk("controller"):
        for name in names:
            if name.endswith(".h"):
                headers |= {word for word, count in words(os.path.join(folder, name)).items() if count > 1}
    for symbol, source in sorted(defined.items()):
        if symbol in everywhere | headers | {"main"}:
            continue
        is_own = words(f"controller/{source}.c")[symbol] > 1
        if is_own and symbol not in tests:
            yield f"{source}.c: no other file uses {symbol}: make it static"
        elif not is_own:
            yield f"{source}.c: {'only tests use' if symbol in tests else 'nothing uses'} {symbol}: delete it"


def main():
    root = sys.argv[-1]
    defined, used, functions = read(root)
    calls = {file: {defined[s] for s in symbols if s in defined} - {file} for file, symbols in used.items()}
    bad, between = list(strangers(defined)) + list(unneeded(functions, used)), collections.Counter()
    for file, others in sorted(calls.items()):
        for other in sorted(others):
            room, of = os.path.dirname(file), os.path.dirname(other)
            between[room, of] += room != of
            if room in ORDER and of in ORDER and ORDER.index(of) > ORDER.index(room):
                bad.append(f"{file}.c calls {other}.c: {' < '.join(name.split('/')[1] for name in ORDER)}")
    bad += [f"a cycle of calls: {' '.join(cycle)}" for cycle in cycles(calls)]
    if "-v" in sys.argv:
        for (room, of), count in sorted(between.items()):
            if count:
                print(f"{room} -> {of}: {count} files")
    for problem in bad:
        print("not ok -", problem)
    print(f"{len(calls) - len(bad)} passed, {len(bad)} failed")
    return bool(bad) or not calls


if __name__ == "__main__":
    sys.exit(main())
