#!/usr/bin/env python3
"""What every field of every CRD must have, and that reference/jobgoodput.md has every field of a JobGoodput.

    crd-structure.py JOBGOODPUT.MD CRD..."""
import re
import sys

try:
    import yaml
except ImportError:
    sys.exit("not ok - crd-structure.py needs PyYAML; install it with: apt-get install python3-yaml")

NAMES = {  # kind: plural, short names, categories, the least number of fields
    "JobGoodput": ("jobgoodputs", ["jgp"], ["goodput"], 150),
    "FleetGoodput": ("fleetgoodputs", ["fgp"], ["goodput"], 90),
    "StepLogFormat": ("steplogformats", ["slf"], ["goodput"], 20),
}
COLUMNS = "Phase Scheduling Runtime Goodput Top-Badput Interruptions Step Ready Age"
WIDE = "Target Productivity Evidence Queue Chips Owner Waiting-For"
OF_THE_SERVER = (".apiVersion", ".kind")  # the API server checks these itself
LABELS = (".spec.selector.labelSelector.matchLabels", ".spec.capacity.nodeSelector")  # the only maps: label selectors
CONDITION = {"type": 316, "reason": 1024, "message": 32768}  # the limits of Kubernetes' own metav1.Condition
DIFFERENCES = (".status.steps.deviationMilliseconds", ".status.waterfall[].chipSeconds")  # what is taken back later
failed = 0


def check(what, problems):
    global failed
    print("not ok - %s: %s" % (what, "; ".join(problems)) if problems else "ok - %s" % what)
    failed += bool(problems)


def walk(schema, path):
    """Every field below schema, as (path, schema)."""
    for name, field in schema.get("properties", {}).items():
        yield path + "." + name, field
        yield from walk(field, path + "." + name)
    if "items" in schema:
        yield path + "[]", schema["items"]
        yield from walk(schema["items"], path + "[]")
    if isinstance(schema.get("additionalProperties"), dict):
        yield path + "{}", schema["additionalProperties"]


def column_type(schema, json_path):
    for name in json_path.strip(".").split("."):
        schema = schema.get("properties", {}).get(name)
        if schema is None:
            return None
    return schema.get("type")


def complete_conditions(status):
    first, conditions = next(iter(status.items()))
    if first != "conditions":
        return ["the first field of status is " + first]
    item = conditions["items"]
    problems = [f + " is not required" for f in ("type", "status", "reason", "message", "lastTransitionTime")
                if f not in item["required"]]
    problems += ["%s is not bounded by %d" % (f, n) for f, n in CONDITION.items()
                 if item["properties"][f].get("maxLength") != n]
    if conditions.get("x-kubernetes-list-map-keys") != ["type"]:
        problems.append("the key is not type")
    return problems


def check_crd(crd):
    names, version = crd["spec"]["names"], crd["spec"]["versions"][0]
    kind, root = names["kind"], version["schema"]["openAPIV3Schema"]
    fields = [(p, f) for p, f in walk(root, "") if p != ".metadata"]
    plural, short, categories, minimum = NAMES[kind]

    def all_of(what, problems):
        check("%s: %s" % (kind, what), problems)

    all_of("names: %s, %s" % (plural, short[0]), [] if (
        names["plural"], names["shortNames"], names.get("categories")) == (plural, short, categories) else [str(names)])
    all_of("status is a subresource", [] if version.get("subresources") == {"status": {}} else ["it is not"])
    all_of("at least %d fields were looked at: %d" % (minimum, len(fields)), [] if len(fields) >= minimum else ["too few"])
    all_of("every field has a type", [p for p, f in fields if f.get("type") not in
                                      ("object", "array", "string", "integer", "boolean")])
    all_of("every field has a description", [p for p, f in fields if len(f.get("description", "")) < 8])
    all_of("every string is bounded", [p for p, f in fields if f.get("type") == "string" and not (
        p in OF_THE_SERVER or 0 < f.get("maxLength", 0) <= 262144 or f.get("enum") or f.get("format") == "date-time")])
    all_of("every enum has two to 16 values", [p for p, f in fields if "enum" in f and not 2 <= len(f["enum"]) <= 16])
    all_of("no format but these stands for a bound", [
        p for p, f in fields if f.get("format", "int64") not in ("int64", "date-time")])
    all_of("every string of a spec is not empty, or a rule says what it is", [
        p for p, f in fields if p.startswith(".spec") and f.get("type") == "string" and not (
            f.get("minLength") or f.get("enum") or f.get("format") or f.get("x-kubernetes-validations")
            or p.startswith(LABELS) or p.endswith("matchExpressions[].values[]"))])
    all_of("every list is bounded", [
        p for p, f in fields if f.get("type") == "array" and not 0 < f.get("maxItems", 0) <= 64])
    all_of("only label selectors are maps, and they are bounded", [
        p for p, f in fields if "additionalProperties" in f and not (
            p in LABELS and 0 < f.get("maxProperties", 0) <= 32
            and 0 < f["additionalProperties"].get("maxLength", 0) <= 63)])
    all_of("conditions come first and are complete", complete_conditions(root["properties"]["status"]["properties"]))
    all_of("every list says how it is merged; a map list requires its keys", [
        p for p, f in fields if f.get("type") == "array" and not (
            f.get("x-kubernetes-list-type") in ("atomic", "set") or
            f.get("x-kubernetes-list-type") == "map" and
            set(f.get("x-kubernetes-list-map-keys", ["?"])) <= set(f["items"].get("required", [])))])
    all_of("no list of objects is a set", [
        p for p, f in fields if f.get("type") == "array" and f["items"].get("type") == "object"
        and f.get("x-kubernetes-list-type") == "set"])
    all_of("every integer is int64", [
        p for p, f in fields if f.get("type") == "integer" and f.get("format") != "int64"])
    all_of("every integer has a minimum, but for a difference", [
        p for p, f in fields if f.get("type") == "integer" and "minimum" not in f and p not in DIFFERENCES])
    all_of("every integer of the spec has a maximum", [
        p for p, f in fields if p.startswith(".spec") and f.get("type") == "integer" and "maximum" not in f])
    all_of("no field abbreviates its unit", [p for p, f in fields if p.endswith("Ms") or p.endswith(".ms")])
    all_of("every field in milliseconds says so", [
        p for p, f in fields if p.endswith(("Milliseconds", "milliseconds")) and "illisecond" not in f["description"]
        and "time of a step" not in f["description"]])
    all_of("every object has properties", [
        p for p, f in fields
        if f.get("type") == "object" and not (f.get("properties") or f.get("additionalProperties"))])
    all_of("nothing is preserved unknown", [
        p for p, f in fields
        if f.get("x-kubernetes-preserve-unknown-fields") or f.get("x-kubernetes-embedded-resource")])
    all_of("every rule has a message for people", [
        "%s: %s" % (p, r["rule"]) for p, f in fields for r in f.get("x-kubernetes-validations", [])
        if len(r.get("message", "")) < 30])
    all_of("columns show fields that exist, of their type", [
        c["name"] for c in version["additionalPrinterColumns"]
        if c["name"] != "Age" and "[?" not in c["jsonPath"] and column_type(root, c["jsonPath"]) != c["type"]])
    all_of("selectable fields exist", [
        s["jsonPath"] for s in version.get("selectableFields", []) if column_type(root, s["jsonPath"]) != "string"])
    return version, fields


def check_jobgoodput(version, fields, documented):
    check("every list of objects of a JobGoodput is a map list", [
        p for p, f in fields if f.get("type") == "array" and f["items"].get("type") == "object"
        and f.get("x-kubernetes-list-type") != "map"])
    check("every list of values of a JobGoodput is a set", [
        p for p, f in fields if f.get("type") == "array" and f["items"].get("type") != "object"
        and f.get("x-kubernetes-list-type") != "set"])
    columns = version["additionalPrinterColumns"]
    check("columns", [] if [c["name"] for c in columns if not c.get("priority")] == COLUMNS.split() else [str(columns)])
    check("wide columns",
          [] if [c["name"] for c in columns if c.get("priority") == 1] == WIDE.split() else [str(columns)])
    leaves = [p for p, f in fields if p.startswith((".status.", ".spec.")) and f.get("type") not in ("object", "array")
              and not p.endswith("[]")]
    check("jobgoodput.md has every field", [p for p in leaves if p[1:] not in documented])
    known = {p[1:] for p, _ in fields}
    check("jobgoodput.md has no other field",
          sorted(t for t in documented if t.startswith(("status.", "spec.")) and t not in known))


with open(sys.argv[1], encoding="utf-8") as f:
    api_documented = set(re.findall(r"`([A-Za-z0-9.\[\]]+)`", f.read()))
seen = set()
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as f:
        one = yaml.safe_load(f)
    seen.add(one["spec"]["names"]["kind"])
    checked = check_crd(one)
    if one["spec"]["names"]["kind"] == "JobGoodput":
        check_jobgoodput(*checked, api_documented)
check("all kinds were looked at", sorted(set(NAMES) - seen))
sys.exit(1 if failed else 0)
