#!/usr/bin/env python3
"""deploy/docs/concepts/security.md keeps its word: each promise names the tests that hold it, and they exist; each field of a spec
in crds/ has one row that says on whose authority it is followed, and a test of the denial where that is the controller's.

    promises.py [SECURITY.MD]      `promises.py --try` tries itself on documents that lack one thing each."""
import glob
import os
import re
import sys

DOCUMENT = "deploy/docs/concepts/security.md"
AUTHORITIES = {"none", "API", "Google", "files", "CPU"}
MIN_PROMISES, MIN_FIELDS = 30, 60


# ---- tests ----

def read(path):
    with open(path) as f:
        return f.read()


def unit_tests():
    found = {}
    for path in glob.glob("tests/*/*.c"):
        layer = path.split("/")[1]
        found.setdefault(layer, set()).update(re.findall(r"^TEST\((\w+)\)", read(path), re.M))
    return found


UNIT_TESTS = unit_tests()
TARGETS = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.M))


def is_called(script):
    """By the Makefile, a script of its folder, or the lists of what runs: a test that nothing runs holds nothing."""
    folder, name = os.path.split(script)
    callers = set(glob.glob(f"{folder}/*.*") + glob.glob(f"{os.path.dirname(folder)}/*.*") + glob.glob("tests/check/*.sh")) | {"Makefile"}
    word = re.compile(rf"\b{re.escape(name.removesuffix('.py'))}\b")
    return any(word.search(read(c)) for c in callers - {script} if c.endswith((".py", ".sh", "Makefile")))


def wrong_test(name):
    """Why there is no such test, or None."""
    kind, _, rest = name.partition(" ")
    if kind == "make":
        return None if rest.split(" ")[0] in TARGETS else "no such target in the Makefile"
    if kind == "test-faults":
        return None if os.path.exists(f"tests/faults/{rest}.scenario") else "no such scenario"
    if match := re.fullmatch(r"test-([a-z]+)", kind):
        return None if rest in UNIT_TESTS.get(match[1], ()) else f"no such TEST in tests/{match[1]}"
    script, _, words = name.partition(": ")
    if not re.fullmatch(r"tests/[\w/.-]+", script):
        return "a test is test-LAYER NAME, make TARGET, or tests/SCRIPT: WORDS"
    if not os.path.isfile(script):
        return "no such file"
    if not is_called(script):
        return "nothing runs it"
    return None if words in read(script) else f"the file has no check \"{words}\""


# ---- the document ----

def rows(text):
    """The cells of each row of each table, but for heads."""
    for line in text.splitlines():
        if re.match(r"\| ", line) and not re.match(r"\| (promise|field|what) \|", line):
            yield [cell.strip() for cell in line.strip()[1:-1].split("|")]


def section(text, head):
    """From a head to the next of its rank."""
    rank = head.split(" ")[0]
    match = re.search(rf"^{re.escape(head)}[^\n]*\n(.*?)(?=^{rank} |\Z)", text, re.M | re.S)
    return match[1] if match else ""


def expand(field):
    match = re.match(r"(.*?)\{([\w,]+)\}(.*)", field)
    return [x for part in match[2].split(",") for x in expand(match[1] + part + match[3])] if match else [field]


# ---- the schemas ----

def keys(path):
    """A YAML file's keys as nested dictionaries: as much of YAML as a CRD has."""
    root, stack, block = {}, [(-1, None)], None
    stack[0] = (-1, root)
    for line in read(path).splitlines():
        indent = len(line) - len(line.lstrip())
        if block is not None and (indent > block or not line.strip()):
            continue
        block = None
        match = re.match(r"((?: |- )*)([\w-]+):(?: (.*))?$", line)
        if not match:
            continue
        indent = len(match[1])
        while stack[-1][0] >= indent:
            stack.pop()
        node = stack[-1][1].setdefault(match[2], {})
        stack.append((indent, node))
        if (match[3] or "").strip() in (">-", ">", "|", "|-"):
            block = len(line) - len(line.lstrip())
    return root


def leaves(schema, path):
    if "properties" in schema:
        for name, field in schema["properties"].items():
            yield from leaves(field, f"{path}.{name}" if path else name)
    elif "items" in schema:
        yield from leaves(schema["items"], path + "[]")
    elif "additionalProperties" in schema:
        yield from leaves(schema["additionalProperties"], path + "{}")
    else:
        yield path


def spec_fields():
    found = {}
    for path in sorted(glob.glob("crds/*.yaml")):
        crd = keys(path)
        schema = crd["spec"]["versions"]["schema"]["openAPIV3Schema"]
        kind = re.search(r"^    kind: (\w+)", read(path), re.M)[1]
        found[kind] = list(leaves(schema["properties"]["spec"], ""))
    return found


# ---- checks ----

def check(text):
    problems, promises, fields = [], 0, 0
    for cells in rows(section(text, "## Promises")):
        promises += 1
        tests = re.findall(r"`([^`]+)`", cells[1]) if len(cells) == 2 else []
        if not tests:
            problems.append(f"no test holds: {cells[0]}")
        problems += [f"`{t}`: {why}" for t in tests if (why := wrong_test(t))]
    for kind, there in spec_fields().items():
        rest = list(there)
        fields += len(there)
        for cells in rows(section(text, f"### {kind} ")):
            if len(cells) != 4:
                problems.append(f"{kind}: not four cells: {' | '.join(cells)}")
                continue
            names = [n for span in re.findall(r"`([^`]+)`", cells[0]) for n in expand(span)]
            authority, tests = cells[2].strip("`"), re.findall(r"`([^`]+)`", cells[3])
            for name in names:
                if name in rest:
                    rest.remove(name)
                else:
                    problems.append(f"{kind}: {name} {'has two rows' if name in there else 'is no field of the spec'}")
            if authority not in AUTHORITIES:
                problems.append(f"{kind}: {cells[0]}: no such authority: {authority}")
            if (authority == "none") == bool(tests):
                problems.append(f"{kind}: {cells[0]}: {'no request, and a test' if tests else 'no test shows the denial'}")
            problems += [f"`{t}`: {why}" for t in tests if (why := wrong_test(t))]
        problems += [f"{kind}: {name} has no row" for name in rest]
    if promises < MIN_PROMISES or fields < MIN_FIELDS:
        problems.append(f"only {promises} promises and {fields} fields were found")
    return problems


def try_itself(text):
    """Each change takes one thing away; what must be found."""
    changes = [(r" \| `test-base out_of_memory[^|]*\|", " | none |", "no test holds"),
               (r"test-io idle_sockets_do", "test-io no_sockets_do", "no such TEST"),
               (r"test-faults deposed", "test-faults exposed", "no such scenario"),
               (r"`make abuse-test`", "`make abuse-tests`", "no such target"),
               (r"tests/packaging/image-contents.sh: has no shell", "tests/packaging/image.sh: has a shell", "has no check"),
               (r"tests/check/hardening.sh", "tests/check/softening.sh", "no such file"),
               (r"`totalSteps`, ", "", "totalSteps has no row"),
               (r"`totalSteps`", "`totalStep`", "is no field of the spec"),
               (r"`totalSteps`", "`totalSteps`, `totalSteps`", "has two rows"),
               (r"(`stepLog.push.jobName` .*`files` \|) `[^`]*` \|", r"\1 |", "no test shows the denial"),
               (r"(`totalSteps`.*)`none`", r"\1`nobody`", "no such authority")]
    failed = []
    for pattern, to, expected in changes:
        changed = re.sub(pattern, to, text, count=1, flags=re.M)
        if changed == text or not any(expected in p for p in check(changed)):
            failed.append(f"a document without {pattern!r} passes")
    return failed


def main():
    text = read(sys.argv[1] if len(sys.argv) > 1 else DOCUMENT)
    problems = check(text)
    for p in sorted(set(problems)):
        print(f"{DOCUMENT}: {p}")
    if not problems:
        problems = try_itself(text)
        print(*problems, sep="\n", end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
