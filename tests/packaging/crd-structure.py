#!/usr/bin/env python3
"""What every field of the CRD must have, and that deploy/docs/api.md tells of every status field."""
import re
import sys

try:
    import yaml
except ImportError:
    sys.exit("not ok - crd-structure.py needs PyYAML; install it with: apt-get install python3-yaml")

COLUMNS = "Target Phase Scheduling Runtime Goodput Top-Badput Interruptions Step Age"
WIDE = "Productivity Evidence Queue Chips Waiting-For"
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


def column_type(schema, json_path):
    for name in json_path.strip(".").split("."):
        schema = schema.get("properties", {}).get(name)
        if schema is None:
            return None
    return schema.get("type")


crd_file, api_file = sys.argv[1], sys.argv[2]
with open(crd_file, encoding="utf-8") as f:
    crd = yaml.safe_load(f)
names, version = crd["spec"]["names"], crd["spec"]["versions"][0]
root = version["schema"]["openAPIV3Schema"]
fields = [(p, f) for p, f in walk(root, "") if p != ".metadata"]

check("names: jobgoodputs, jgp, goodput", [
    "%s is %s" % (k, names.get(k)) for k, v in
    {"kind": "JobGoodput", "plural": "jobgoodputs", "shortNames": ["jgp"], "categories": ["goodput"]}.items()
    if names.get(k) != v])
check("status is a subresource", [] if version.get("subresources") == {"status": {}} else ["it is not"])
check("more than 150 fields were looked at: %d" % len(fields), [] if len(fields) > 150 else ["too few"])
check("every field has a type", [p for p, f in fields if f.get("type") not in
                                 ("object", "array", "string", "integer", "boolean")])
check("every field has a description", [p for p, f in fields if len(f.get("description", "")) < 10])
check("every string is bounded", [p for p, f in fields if f.get("type") == "string" and not (
    "maxLength" in f or "enum" in f or f.get("format") == "date-time")])
check("every list is bounded", [p for p, f in fields if f.get("type") == "array" and "maxItems" not in f])
check("every list of objects is a map list with its keys required", [
    p for p, f in fields if f.get("type") == "array" and f["items"].get("type") == "object" and not (
        f.get("x-kubernetes-list-type") == "map" and
        set(f.get("x-kubernetes-list-map-keys", ["?"])) <= set(f["items"].get("required", [])))])
check("every list of values is a set", [
    p for p, f in fields if f.get("type") == "array" and f["items"].get("type") != "object"
    and f.get("x-kubernetes-list-type") != "set"])
check("every integer is int64", [p for p, f in fields if f.get("type") == "integer" and f.get("format") != "int64"])
check("every integer has a minimum, but for a difference", [
    p for p, f in fields if f.get("type") == "integer" and "minimum" not in f and p != ".status.steps.deviationMs"])
check("every integer of the spec has a maximum", [
    p for p, f in fields if p.startswith(".spec") and f.get("type") == "integer" and "maximum" not in f])
check("every field in Ms says milliseconds", [
    p for p, f in fields if p.endswith("Ms") and "illisecond" not in f["description"]
    and "time of a step" not in f["description"]])
check("every object has properties", [
    p for p, f in fields if f.get("type") == "object" and not f.get("properties")])
check("nothing is preserved unknown", [
    p for p, f in fields if f.get("x-kubernetes-preserve-unknown-fields") or f.get("x-kubernetes-embedded-resource")])
check("every rule has a message for people", [
    "%s: %s" % (p, r["rule"]) for p, f in fields for r in f.get("x-kubernetes-validations", [])
    if len(r.get("message", "")) < 30])

columns = version["additionalPrinterColumns"]
check("columns", [] if [c["name"] for c in columns if not c.get("priority")] == COLUMNS.split() else [str(columns)])
check("wide columns", [] if [c["name"] for c in columns if c.get("priority") == 1] == WIDE.split() else [str(columns)])
check("columns show fields that exist, of their type", [
    c["name"] for c in columns if c["name"] != "Age" and column_type(root, c["jsonPath"]) != c["type"]])
check("selectable fields exist", [
    s["jsonPath"] for s in version["selectableFields"] if column_type(root, s["jsonPath"]) != "string"])

with open(api_file, encoding="utf-8") as f:
    told = set(re.findall(r"`([A-Za-z0-9.\[\]]+)`", f.read()))
leaves = [p for p, f in fields if p.startswith((".status.", ".spec.")) and f.get("type") not in ("object", "array")
          and not p.endswith("[]")]
check("api.md tells of every field", [p for p in leaves if p[1:] not in told])
known = {p[1:] for p, _ in fields}
check("api.md tells of no other field", sorted(t for t in told if t.startswith(("status.", "spec.")) and t not in known))
sys.exit(1 if failed else 0)
