#!/usr/bin/env python3
"""Compares the CRDs in crds/ with those that controller-gen makes from the Go types: names, columns, selectable fields,
subresources and the whole schema.

    compare.py GENERATED-DIRECTORY CRD...

Descriptions are left out: crds/ is the only place of texts, so that a text changes in one file."""
import os
import sys

import yaml

failed = passed = 0


def parts(value, path="", in_properties=False):
    """Every leaf below value as (path, leaf). Lists whose order means nothing are sorted; descriptions are left out."""
    if isinstance(value, dict):
        if not value:
            yield path, {}
        for key in sorted(value):
            if key == "description" and not in_properties:
                continue
            below = value[key]
            if key == "required" and not in_properties:
                below = sorted(below)
            yield from parts(below, path + "." + key, key == "properties" and not in_properties)
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from parts(item, "%s[%d]" % (path, i))
    else:
        yield path, " ".join(value.split()) if isinstance(value, str) else value


def differences(ours, generated):
    ours, generated = dict(parts(ours)), dict(parts(generated))
    for path in sorted(set(ours) | set(generated)):
        a, b = ours.get(path, "nothing"), generated.get(path, "nothing")
        if type(a) is not type(b) or a != b:
            yield "%s: crds/ has %s, the Go types give %s" % (path.lstrip("."), a, b)


def check(what, problems):
    global passed, failed
    problems = list(problems)
    print("ok - %s" % what if not problems else "not ok - %s\n    %s" % (what, "\n    ".join(problems)))
    passed, failed = passed + (not problems), failed + bool(problems)


for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as f:
        ours = yaml.safe_load(f)
    with open(os.path.join(sys.argv[1], os.path.basename(path)), encoding="utf-8") as f:
        generated = yaml.safe_load(f)
    kind = ours["spec"]["names"]["kind"]
    check("%s: names and scope" % kind, differences(*({k: x["spec"][k] for k in ("group", "scope", "names")}
                                                     for x in (ours, generated))))
    check("%s: one version" % kind, differences([v["name"] for v in ours["spec"]["versions"]],
                                                [v["name"] for v in generated["spec"]["versions"]]))
    a, b = ours["spec"]["versions"][0], generated["spec"]["versions"][0]
    for part in ("served", "storage", "subresources", "selectableFields", "additionalPrinterColumns"):
        check("%s: %s" % (kind, part), differences(a.get(part), b.get(part)))
    fields = len(dict(parts(a["schema"])))
    check("%s: schema, %d values" % (kind, fields),
          list(differences(a["schema"], b["schema"])) or ([] if fields > 100 else ["too few values were compared"]))
sys.exit(1 if failed or not passed else 0)
