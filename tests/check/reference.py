#!/usr/bin/env python3
"""The pages of deploy/docs/reference that follow from the code: written from it with --write, compared with it without.

    reference.py [--write] [BIN]      BIN: where the programs are (.build/release/bin)

A page that differs is a line "not ok"; the last line is the total. Sources: crds/ (the fields), what the programs print for
--help, controller/export/metrics_table.h and the chart's rules.yaml, controller/ledger/buckets.h and
controller/operator/facts/causes.c, controller/formulas/chips.c."""
import os
import re
import subprocess
import sys

try:
    import yaml
except ImportError:
    sys.exit("not ok - reference.py needs PyYAML; install it with: apt-get install python3-yaml")

FOLDER = "deploy/docs/reference"
MADE = "<!-- Written by tests/check/reference.py --write from {}. Edit the source, not this page. -->\n"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def cell(text):
    return re.sub(r"\s+", " ", str(text)).strip().replace("|", "\\|").replace("<", "&lt;")


def table(head, rows):
    lines = [head, ["---"] * len(head)] + [[cell(c) for c in row] for row in rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


# ---- fields ----

def fields(schema, path):
    """Every field below schema, as (path, schema), a list's items under its own path."""
    for name, field in schema.get("properties", {}).items():
        at = f"{path}.{name}"
        yield at, field
        inner = field.get("items", field)
        yield from fields(inner, at + ("[]" if "items" in field else ""))


def type_of(field):
    if field["type"] == "array":
        return f"list of {type_of(field['items'])}s"
    return "time" if field.get("format") == "date-time" else field["type"]


def meaning(field):
    text = field["description"].strip()
    if text[-1] not in ".!?":
        text += "."
    inner = field.get("items", field)
    if "enum" in inner and not all(str(v) in text for v in inner["enum"]):
        text += " One of " + ", ".join(f"`{v}`" for v in inner["enum"]) + "."
    low, high = inner.get("minimum"), inner.get("maximum")
    if high is not None:
        text += f" {low if low is not None else 0} to {high}."
    if "maxItems" in field:
        text += f" At most {field['maxItems']}."
    if not isinstance(field.get("default"), (dict, type(None))):
        text += f" Default: `{field['default']}`."
    return text


def kind_page(path):
    crd = yaml.safe_load(read(path))
    names, version = crd["spec"]["names"], crd["spec"]["versions"][0]
    root = version["schema"]["openAPIV3Schema"]
    text = f"# {names['kind']}\n\n" + MADE.format(path)
    text += f"\n{cell(root['description'])}\n\n"
    text += f"API `{crd['spec']['group']}/{version['name']}`, {crd['spec']['scope'].lower()}, short name `{names['shortNames'][0]}`. "
    text += f"`kubectl explain {names['singular']}.spec` prints the same. Every field that is not known is absent.\n"
    for part in ("spec", "status"):
        schema = root["properties"][part]
        required = set(schema.get("required", []))
        text += f"\n## {part}\n\n{cell(schema['description'])}\n\n"
        text += table(("field", "type", "meaning"), [
            (f"`{at}`", type_of(f), ("Required. " if at.split(".")[1] in required and at.count(".") == 1 else "") + meaning(f))
            for at, f in fields(schema, part)])
    columns = version["additionalPrinterColumns"]
    text += "\n## Columns of kubectl get\n\n"
    text += table(("column", "shown", "meaning"), [
        (c["name"].upper(), "with `-o wide`" if c.get("priority") else "always", c.get("description", "Time since the object was created."))
        for c in columns])
    return text


# ---- what the programs print ----

def help_of(binary, *words):
    return subprocess.run([os.path.join(binary, words[0]), *words[1:], "--help"], capture_output=True, text=True, check=True).stdout


def flags_page(binary):
    text = "# Flags of goodput-controller\n\n" + MADE.format("goodput-controller --help")
    text += "\nThe chart sets the flags from its [values](../../../helm/goodput-controller/README.md); `extraArgs` adds more.\n\n"
    found = re.findall(r"^  (--\S+)( \S+)?\n      (.*)$", help_of(binary, "goodput-controller"), re.M)
    return text + table(("flag", "meaning"), [(f"`{name}{value}`", words) for name, value, words in found])


def commands_page(binary):
    text = "# Commands of kubectl goodput\n\n" + MADE.format("kubectl-goodput --help")
    text += "\n`kubectl-goodput COMMAND` is the same. kubectl reads the cluster for it; `analyze`, `why`, `formats` and `-f FILE` need no kubectl. Exit codes: 0, 1 for a failure, 2 for wrong usage.\n"
    for title, words in (("kubectl goodput", ()), ("kubectl goodput analyze", ("analyze",)), ("kubectl goodput why", ("why",))):
        text += f"\n## {title}\n\n```text\n{help_of(binary, 'kubectl-goodput', *words).rstrip()}\n```\n"
    return text


# ---- metrics and alerts ----

# What every job has; the chart's metrics.allJobSeries adds the rest.
DEFAULT = tuple(re.findall(r'"(goodput_job_\w+)"', "".join(re.findall(r"#define JOB_DEFAULT_\w+\(X\)(.*?)\n\n", read("controller/export/metrics_table.h"), re.S))))
GROUPS = (  # title, labels of every series in it, what its names begin with
    ("Per job", "`namespace`, `jobgoodput`, `queue`", DEFAULT),
    ("Per job, with `--all-job-series`", "`namespace`, `jobgoodput`, `queue`", "goodput_job_"),
    ("Per queue", "`namespace`, `queue`", "goodput_queue_"),
    ("Per fleet", "`fleetgoodput`", "goodput_fleet_"),
    ("The controller", "none", ""))


def metrics():
    """(name, type, labels besides those of its group, help), in the order of the table."""
    header = re.sub(r'"\s+"', "", read("controller/export/metrics_table.h").replace("\\\n", " "))
    for name, rest in re.findall(r'X\([JF]_\w+, *"(\w+)", *(.*?"\))', re.sub(r"\s+", " ", header)):
        kind = re.match(r"METRIC_(\w+)", rest)
        words = re.findall(r'"([^"]*)"', rest)
        labels, meaning_of = (words[0], words[1]) if kind else ("", words[0])
        counts = kind is not None and kind[1] == "COUNTER"
        yield name + ("_total" if counts else ""), kind[1].lower() if kind else "gauge", labels, meaning_of


def metrics_page():
    text = "# Metrics and alerts\n\n" + MADE.format("controller/export/metrics_table.h and the chart's rules.yaml")
    text += "\nHow to scrape them: [monitor](../how-to/monitor.md). A number that is not known has no series.\n"
    rest = list(metrics())
    for title, labels, start in GROUPS:
        mine = [m for m in rest if m[0] in start] if start is DEFAULT else [m for m in rest if m[0].startswith(start)]
        rest = [m for m in rest if m not in mine]
        text += f"\n## {title}\n\nLabels of all: {labels}.\n\n"
        text += table(("metric", "type", "more labels", "meaning"), [
            (f"`{name}`", kind, ", ".join(f"`{w}`" for w in more.split(", ") if w), words) for name, kind, more, words in mine])
    rules = yaml.safe_load(read("helm/goodput-controller/files/rules.yaml"))
    alerts = [r for g in rules["groups"] for r in g["rules"] if "alert" in r]
    text += ("\n## Alerts\n\nWhat to do when one fires: [alerts](../how-to/alerts.md). A scrape configuration of the chart brings `GoodputJobHangs`;\n"
             "`metrics.prometheusRule.enabled` or `metrics.clusterRules.enabled` installs all, the last two only with `metrics.allJobSeries`.\n"
             "`metrics.objective` and `metrics.fleetObjective` set the objectives.\n\n")

    def plain(template):
        return re.sub(r"\{\{ \$value[^}]*\}\}", "N", re.sub(r"\{\{ \$labels\.(\w+) \}\}", lambda m: m[1].upper(), template))
    return text + table(("alert", "severity", "after", "meaning"), [
        (a["alert"], a["labels"]["severity"], a.get("for", "at once"), plain(a["annotations"]["summary"])) for a in alerts])


# ---- buckets, causes, chips ----

def strings(row):
    """The arguments of a row of a C table: strings joined, identifiers as they are."""
    row = re.sub(r'"\s+"', "", row)
    return [a[1:-1] if a.startswith('"') else a for a in re.findall(r'"(?:[^"\\]|\\.)*"|[A-Z_]\w*', row)]


def causes_page():
    buckets = read("controller/ledger/buckets.h")
    text = "# Buckets, causes, and the rules that choose them\n\n" + MADE.format(
        "controller/ledger/buckets.h and controller/operator/facts/causes.c")
    text += "\nWhat each bucket means, and what to do about it: [concepts](../concepts/ledger.md).\n\n## Buckets\n\n"
    text += "In the order in which they are tried. `ElasticSliceDown` holds chip time alone, of the owner Unknown.\n"
    text += "The owner is that of the time that no interruption caused.\n\n"
    named = re.findall(r'X\((\w+), "(\w+)", (SCHEDULING|RUNTIME|PRODUCTIVE), (\w+)\)', buckets)
    text += table(("bucket", "family", "owner"), [(f"`{name}{'/NAME' if name == 'Custom' else ''}`", family.title(), owner.title())
                                                  for ident, name, family, owner in named if ident not in ("NOT_SUBMITTED", "PRODUCTIVE")])
    causes = re.findall(r'X\((\w+), "(\w+)", ([01]), (\w+)\)', buckets)
    text += "\n## Causes of interruptions\n\nA root cause that names an owner comes before the owner of the cause.\n\n"
    text += table(("cause", "in the mean times", "owner"),
                  [(f"`{name}`", "no" if left_out == "1" else "yes", owner.title()) for _, name, left_out, owner in causes])
    bucket_of = {"BUCKET_" + ident: name for ident, name, *_ in named}
    cause_of = {"CAUSE_" + ident: name for ident, name, *_ in causes}
    rows = []
    source = re.search(r"cause_rule rules\[\] = \{(.*?)^\};", read("controller/operator/facts/causes.c"), re.M | re.S)[1]
    for row in re.findall(r'^    \{(".*?)\},$', re.sub(r"/\*.*?\*/", "", source, flags=re.S), re.M | re.S):
        thing, shows, reason, node, bucket, cause, below, evidence, _ = strings(row)
        cause = cause_of.get(cause, "") + (f"/{below}" if below and cause in cause_of else "")
        rows.append([thing, shows, "" if reason == "*" else reason, "" if node == "*" else node, bucket_of.get(bucket, ""), cause, evidence])
    text += "\n## Rules\n\nThe first row that fits wins; an empty cell fits anything. The bucket holds the time until the fact ends.\n\n"
    return text + table(("object", "shows", "reason", "node", "bucket", "cause", "evidence"), rows)


def root_causes_page():
    classes = re.sub(r'"\s+"', "", read("controller/rootcause/classes.h").replace("\\\n", " "))
    rows = [line.split("\t") for line in read("controller/rootcause/signatures.tsv").splitlines() if line and line[0] != "#"]
    text = "# Root causes\n\n" + MADE.format("controller/rootcause/classes.h and controller/rootcause/signatures.tsv")
    text += "\nWhat `kubectl goodput why` answers: [how to](../how-to/why.md). A row of the table of texts can name another owner.\n\n## Classes\n\n"
    found = re.findall(r'X\((\w+), "(\w+)", (\w+), *"([^"]*)"\)', classes)
    text += table(("class", "owner", "meaning", "reasons"), [
        (f"`{name}`", owner.title(), words, ", ".join(sorted({r[4] for r in rows if r[0] == name and r[1] not in ("advice", "wrapper")}))) for _, name, owner, words in found])
    text += "\n`UserException` has the name of the exception as its reason.\n\n## Who prints the texts\n\n"
    return text + table(("source", "texts"), [(source, sum(r[6] == source for r in rows)) for source in sorted({r[6] for r in rows}, key=lambda s: (s.lower(), s))])


def node_signals_page():
    rows = [line.split("\t") for line in read("controller/rootcause/node_signals.tsv").splitlines() if line and line[0] != "#"]
    text = "# Node signals\n\n" + MADE.format("controller/rootcause/node_signals.tsv")
    text += "\nWhat agents publish on Nodes, and the [class](root-causes.md) of each. The first row that fits counts. `*` stands for any text, `#` for a number.\n"
    text += "`primary`: ends what runs there, and so can be a cause; `weak`: evidence. The class `xid` is that of the row `xid` of the number.\n\n"
    return text + table(("what", "key", "status or value", "reason: message, or effect", "class", "role", "owner", "signal", "source"), [
        (what, *(f"`{x}`" if x not in "-*" else "" for x in (key, value, shown)), class_, role, "" if owner == "-" else owner, name, source)
        for what, key, value, shown, class_, role, owner, name, source in rows])


def chips_page():
    source = read("controller/formulas/chips.c")
    text = "# Chips and their peaks\n\n" + MADE.format("controller/formulas/chips.c")
    text += "\n10^9 FLOP/s per chip, dense. `--chip-peaks` (chart: `chipPeaks`) replaces a row.\n\n"
    text = text + table(("chip", "BF16", "INT8", "FP8", "devices"), [
        (name, *(p if p != "0" else "" for p in peaks.split(", ")), devices)
        for name, peaks, devices in re.findall(r'^    \{"([^"]+)", \{([^}]*)\}, (\d)', source, re.M)])
    labels = {"GKE_TPU": "cloud.google.com/gke-tpu-accelerator", "GKE_GPU": "cloud.google.com/gke-accelerator",
              "NVIDIA": "nvidia.com/gpu.product", "AMD": "amd.com/gpu.product-name"}
    text += "\n## Labels of nodes that name a chip\n\n"
    text += table(("label", "value", "chip"), [
        (f"`{labels[key]}`", f"`{value}`", chip) for key, value, chip in re.findall(r'^    \{(\w+), "([^"]+)", "([^"]+)"\}', source, re.M)])
    names = {**labels, **{f'"{key}"': key for key in re.findall(r'^    \{\w+, "([^"]+)"\},$', source, re.M)}}
    text += "\n## Labels of nodes that count chips\n\nPods of Ray that ask for no chips, and whose group declares none, have those that a label of their node counts,\n"
    text += "if their `nodeSelector`, or each term of their required node affinity, names a label of this table. Where `nvidia.com/gpu.product`\n"
    text += "names a MIG partition, labels count none.\n\n"
    text += table(("label", "counts chips"), [
        (f"`{names[key]}`", "yes" if is_count == "true" else "") for is_count, key in re.findall(r'^    \{(true|false), ([^}]+)\},$', source, re.M)])
    text += "\n## Resources that count as chips\n\nIn limits and requests of containers, and in what nodes offer. `+` stands for letters and digits. "
    text += "Shares and partitions\nof a chip (MIG, time slicing, cores) do not count: a job that asks only for them has no chip hours.\n\n"
    text += table(("resource", "chip"), [
        (f"`{name}`", maker) for name, maker in re.findall(r'^    \{"([^"]+/[^"]+)", "([^"]+)"\}', source, re.M)])
    text += "\n## Devices that count as chips\n\nOf a ResourceClaim (Dynamic Resource Allocation), by their driver once they are allocated. Before, the\n"
    text += "DeviceClass of a request counts if it has the name of such a driver; of `firstAvailable` the first, of `allocationMode: All`\nnone. "
    text += "MIG partitions, shares of a device and devices with `adminAccess` do not count. A claim that several pods share\ncounts for the first that it is reserved for. "
    text += "A claim that the scheduler makes for an extended resource does not count again.\nUntil its first pod has its claim, a job in a queue has no chips.\n\n"
    return text + table(("driver", "chip"), [
        (f"`{name}`", maker) for name, maker in re.findall(r'[{ ]\{"([^"/]+\.com)", "([^"]+)"\}', source)])


def pages(binary):
    yield "jobgoodput.md", kind_page("crds/goodput.dev_jobgoodputs.yaml")
    yield "fleetgoodput.md", kind_page("crds/goodput.dev_fleetgoodputs.yaml")
    yield "steplogformat.md", kind_page("crds/goodput.dev_steplogformats.yaml")
    yield "flags.md", flags_page(binary)
    yield "commands.md", commands_page(binary)
    yield "metrics.md", metrics_page()
    yield "causes.md", causes_page()
    yield "root-causes.md", root_causes_page()
    yield "node-signals.md", node_signals_page()
    yield "chips.md", chips_page()


def main():
    words = sys.argv[1:]
    is_writing = "--write" in words
    rest = [w for w in words if w != "--write"]
    failed = passed = 0
    for name, text in pages(rest[0] if rest else ".build/release/bin"):
        path = os.path.join(FOLDER, name)
        if is_writing:
            os.makedirs(FOLDER, exist_ok=True)
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
        elif not os.path.exists(path) or read(path) != text:
            print(f"not ok - {path} differs from the code: run `make reference`")
            failed += 1
        passed += 1
    if not is_writing:
        print(f"{passed - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
