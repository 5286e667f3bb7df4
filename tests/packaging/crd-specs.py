#!/usr/bin/env python3
"""What a real API server says to good and bad specs of the three kinds: the cases of crd_cases.py and the files in
tests/data/crd. One kubectl sends the good ones and one the bad ones, as --dry-run=server.

    crd-specs.py CRD...      KUBECONFIG says where, KUBECTL which kubectl; the CRDs must be installed
    crd-specs.py --list CRD...   only prints the cases and checks that they reach every bound of the CRDs"""
import copy
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import yaml

import crd_cases as cases

DATA = "tests/data/crd"
failed = passed = 0


def check(what, problems):
    global passed, failed
    print("not ok - %s\n    %s" % (what, "\n    ".join(problems)) if problems else "ok - %s" % what)
    passed, failed = passed + (not problems), failed + bool(problems)


def steps(path):
    for part in path.split("."):
        name, *index = re.split(r"\[|\]", part)
        yield name
        if index:
            yield int(index[0])


def split(field):
    """The kind, the field's real path and its valid surroundings."""
    parent = field.rpartition(".")[0]
    kind, around = cases.WITHIN[parent]
    return kind, field.split(".", 1)[1] if kind != "JobGoodput" else field, copy.deepcopy(around)


def with_value(field, value):
    """The kind and the smallest valid spec in which the field has the value."""
    kind, path, spec = split(field)
    at = {"spec": spec}
    *parents, last = steps(path)
    for here in parents:
        at = at[here] if isinstance(here, int) else at.setdefault(here, {})
    if last == "targetRef" or "targetRef" in parents:
        spec.setdefault("targetRef", {})
        if last != "targetRef":
            spec["targetRef"] = dict(cases.TARGET, **spec["targetRef"])
    at = {"spec": spec}
    for here in parents:
        at = at[here]
    at[last] = value
    if last == "calendar" or last == "rolling":
        spec["window"] = {last: value}
    if last == "tokensPerSecond":
        del at["tokensPerStep"]
    if last == "source":
        spec["stepLog"].update({"CloudLogging": {"cloudLogging": {"project": "p", "logger": "l"}},
                                "File": {"file": {"path": "a"}}}.get(value, {}))
    if last == "operator" and value in ("Exists", "DoesNotExist"):
        del at["values"]
    if last == "kind" and field.startswith("format."):
        spec["patterns"].append(dict(cases.LINE, name="another"))
    if last == "format" and value == "Regex":
        spec["stepLog"]["regex"] = {"step": cases.STEP}
    return kind, path, spec


def one(name, field, value, sentence):
    kind, path, spec = with_value(field, value)
    return name, kind, spec, sentence and sentence % {"path": path}


def bounds():
    for field, shortest, longest, make in cases.STRINGS:
        if make:
            yield one("%s of %d" % (field, longest), field, make(longest), None)
        over = (make or (lambda n: "x" * n))(longest + 1)
        yield one("%s of %d" % (field, longest + 1), field, over,
                  "%%(path)s: Too long: may not be more than %d bytes" % longest)
        if shortest:
            yield one("%s empty" % field, field, "", "%%(path)s in body should be at least %d chars long" % shortest)
    for field, fewest, maximum, make in cases.LISTS:
        yield one("%s with %d" % (field, maximum), field, make(maximum), None)
        yield one("%s with %d" % (field, maximum + 1), field, make(maximum + 1),
                  "%%(path)s: Too many: %d: must have at most %d items" % (maximum + 1, maximum))
        if fewest:
            yield one("%s empty" % field, field, [], "%%(path)s in body should have at least %d items" % fewest)
    for field, maximum in cases.MAPS:
        yield one("%s with %d" % (field, maximum), field, {"k%d" % i: "x" * 63 for i in range(maximum)}, None)
        yield one("%s with %d" % (field, maximum + 1), field, {"k%d" % i: "" for i in range(maximum + 1)},
                  "%%(path)s: Too many: %d: must have at most %d" % (maximum + 1, maximum))
        yield one("%s with a long value" % field, field, {"k": "x" * 64},
                  "%(path)s.k: Too long: may not be more than 63 bytes")
    for field, longest in cases.ELEMENTS:
        yield one("%s element of %d" % (field, longest + 1), field, ["x" * (longest + 1)],
                  "%%(path)s[0]: Too long: may not be more than %d bytes" % longest)
        yield one("%s element empty" % field, field, [""], "%(path)s[0] in body should be at least 1 chars long")
        yield one("%s element twice" % field, field, ["a", "a"], "%(path)s[1]: Duplicate value")
    for field, smallest, largest in cases.NUMBERS:
        yield one("%s %d" % (field, smallest), field, smallest, None)
        yield one("%s %d" % (field, largest), field, largest, None)
        yield one("%s %d" % (field, smallest - 1), field, smallest - 1,
                  "%%(path)s in body should be greater than or equal to %d" % smallest)
        yield one("%s %d" % (field, largest + 1), field, largest + 1,
                  "%%(path)s in body should be less than or equal to %d" % largest)


def others():
    for field, values in cases.ENUMS:
        for value in values.split():
            yield one("%s %s" % (field, value), field, value, None)
        for value in ("", values.split()[0] + "x", values.split()[0].swapcase()):
            yield one("%s %r" % (field, value), field, value,
                      '%%(path)s: Unsupported value: "%s": supported values: %s' % (
                          value, ", ".join('"%s"' % v for v in values.split())))
    for field, sentence, good, bad in cases.VALUES:
        for value in good:
            yield one("%s %r" % (field, value), field, value, None)
        for value in bad:
            yield one("%s %r" % (field, value), field, value, sentence.replace("%", "%%"))
    for name, kind, spec, sentence in cases.OTHERS:
        yield name, kind, spec, sentence
    for field, value, allowed in cases.TYPES:
        yield one("%s as %r" % (field, value), field, value, "must be of type %s" % allowed)
    for parent in cases.UNKNOWN:
        name, kind, spec, _ = one("unknown field in %s" % parent, parent + ".unheardOf", "x", None)
        path = split(parent + ".unheardOf")[1]
        yield name, kind, spec, 'unknown field "%s"' % path


def all_cases():
    """Every case as (name, object, sentence or None)."""
    for i, (name, kind, spec, sentence) in enumerate([*bounds(), *others()]):
        if kind == "JobGoodput":
            spec.setdefault("targetRef", cases.TARGET)
        yield name, {"apiVersion": "goodput.dev/v1alpha1", "kind": kind, "metadata": {"name": "case-%d" % i},
                     "spec": spec}, sentence
    for path in sorted(glob.glob(DATA + "/good/*.yaml") + glob.glob(DATA + "/bad/*.yaml")):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        header = dict(re.findall(r"^# (expect|after): (.*)$", text, re.M))
        if "after" not in header:  # those need an object that exists: crd-refusals.sh
            yield os.path.basename(path), yaml.safe_load(text), header["expect"] if "/bad/" in path else None


def send(objects):
    """What one kubectl prints, by the number of the object."""
    kubectl = os.environ.get("KUBECTL", ".build/cluster/bin/kubectl")
    with tempfile.TemporaryDirectory() as folder:
        for i, thing in objects:
            with open("%s/%04d.json" % (folder, i), "w", encoding="utf-8") as f:
                json.dump(thing, f)
        run = subprocess.run([kubectl, "create", "--dry-run=server", "--validate=strict", "-f", folder],
                             capture_output=True, text=True, check=False)
    errors = {}
    for part in re.split(r"(?m)^(?=Error from server|error: |The )", run.stderr):
        number = re.search(r"/(\d{4})\.json", part)
        if number:
            errors[int(number[1])] = part
        elif part.strip():
            errors[-1] = part
    created = {name.rsplit("/", 1)[1] for name in re.findall(r"^(\S+) created", run.stdout, re.M)}
    return created, errors


def run_cases(listed):
    numbered = list(enumerate(listed))
    created, errors = send([(i, thing) for i, (_, thing, _) in numbered])
    if -1 in errors:
        check("kubectl prints nothing else", [errors[-1]])
    for i, (name, thing, sentence) in numbered:
        message = errors.get(i, "")
        if sentence is None:
            problem = message or ("" if thing["metadata"]["name"] in created else "kubectl says nothing of it")
            check("accepted: " + name, [problem] if problem else [])
        elif not message:
            check("refused: " + name, ["was not refused; expected: " + sentence])
        else:
            check("refused: %s: %s" % (name, sentence), [] if sentence in message else [message])


def walk(schema, path):
    for name, field in schema.get("properties", {}).items():
        yield path + "." + name, field
        yield from walk(field, path + "." + name)
    if "items" in schema and "properties" in schema["items"]:
        yield from walk(schema["items"], path + "[0]")


def reached(paths):
    """Every field of every spec that has a limit, an enum or a rule has cases."""
    prefix = {"JobGoodput": "spec", "FleetGoodput": "fleet.spec", "StepLogFormat": "format.spec"}
    tables = {
        "maxLength": {f for f, *_ in cases.STRINGS}, "maxItems": {f for f, *_ in cases.LISTS},
        "maxProperties": {f for f, _ in cases.MAPS}, "maximum": {f for f, *_ in cases.NUMBERS},
        "enum": {f for f, _ in cases.ENUMS}, "properties": set(cases.WITHIN)}
    missing = []
    for path in paths:
        with open(path, encoding="utf-8") as f:
            crd = yaml.safe_load(f)
        start = prefix[crd["spec"]["names"]["kind"]]
        spec = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
        for field, schema in walk(spec, start):
            missing += ["%s: %s" % (field, key) for key, table in tables.items()
                        if key in schema and field + ("[0]" if schema["type"] == "array" else "") not in table | {
                            t + "[0]" for t in table} and field not in table]
            if "maxLength" in schema.get("items", {}) and field not in {f for f, _ in cases.ELEMENTS} | {
                    "fleet.spec.selector.labelSelector.matchExpressions[0].values", "fleet.spec.groupBy"}:
                missing.append(field + ": an element's maxLength")
    check("every limit and every enum of the specs has cases", missing)


listing = sys.argv[1] == "--list"
every = list(all_cases())
reached(sys.argv[2:] if listing else sys.argv[1:])
if listing:
    for name_, thing_, sentence_ in every:
        print("%s: %s" % (name_, sentence_ or "accepted"))
else:
    run_cases(every)
bad = sum(1 for *_, s in every if s)
check("at least 200 specs, good and bad: %d and %d" % (len(every) - bad, bad),
      [] if len(every) >= 200 and bad > 100 and len(every) - bad > 50 else ["too few"])
print("%d passed, %d failed" % (passed, failed))
sys.exit(1 if failed else 0)
