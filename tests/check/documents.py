#!/usr/bin/env python3
"""The documents name what is there, and all of it: flags, metrics, alerts, conditions and reasons, fields, values of the
chart, annotations, versions, make targets, files and links. Each problem is a line; the last line is the total.

    documents.py [BIN]      BIN: where the programs are (.build/release/bin)"""
import errno
import glob
import os
import re
import subprocess
import sys

from promises import keys, read

BIN = sys.argv[1] if len(sys.argv) > 1 else ".build/release/bin"
DOCUMENTS = sorted(glob.glob("deploy/docs/**/*.md", recursive=True) + glob.glob("*.md") + glob.glob("helm/*/README.md") + glob.glob("tests/*.md") +
                   glob.glob("tests/*/README.md") + glob.glob(".github/*.md"))
TEXT = {path: read(path) for path in DOCUMENTS}
USERS = {path: text for path, text in TEXT.items() if not path.startswith("tests/") and path != "CHANGELOG.md"}
# Flags of other programs that documents call.
FOREIGN_FLAGS = set("""--set --set-file --namespace --create-namespace --reset-then-reuse-values --reuse-values --version --from-literal --install
    --order --server-side --nodes --timestamps --cacert --data-binary --for --list --type --ignore-daemonsets --wait
    --tag-output --location --region --project --workload-pool --enable-image-streaming --repository-format --logdir --name --output-timestamp-format --database
    --multiquery""".split())
# Fields of others' objects.
FOREIGN_FIELDS = {"status.failed", "status.restarts", "status.unhealthyNodes"}
# Words in code type that look like reasons and are others'.
FOREIGN_WORDS = set("""GitHub ConfigMap StatefulSet DaemonSet CronJob PersistentVolumeClaim RoleBinding ClusterRoleBinding GoodputRecorder
    GoodputCalculator""".split())
# Modules with one version in each row of versions.md, and the folders of their pins.
PARTS = {"k8s.io/kubernetes": ("k8s",), "sigs.k8s.io/jobset": ("jobset", "k8s"), "sigs.k8s.io/kueue": ("kueue",)}
problems = []
counted = 0


def same(what, wrong):
    """wrong: what should not be; each is a problem."""
    global counted
    counted += 1
    problems.extend(f"{what}: {w}" for w in sorted(wrong))


def where(word, texts=TEXT):
    return " ".join(p for p, t in texts.items() if word in t)


def spans(text):
    """What is in code type: spans, and indented or fenced blocks."""
    blocks = re.findall(r"^(?: {4}|\t)(.*)$", text, re.M) + re.findall(r"```\w*\n(.*?)```", text, re.S)
    return re.findall(r"`([^`\n]+)`", text) + blocks


def sources(*patterns):
    return "\n".join(read(p) for pattern in patterns for p in sorted(glob.glob(pattern, recursive=True)) if os.path.isfile(p))


CODE = sources("controller/**/*.[ch]", "controller/**/*.js", "controller/**/*.html")
SHIPPED = CODE + sources("crds/*.yaml", "helm/**/*.yaml", "helm/**/*.json", "helm/**/*.tpl", "helm/**/*.txt", "deploy/*.yaml", "deploy/*.sh", "controller/rootcause/*.tsv")


def help_of(*command):
    return subprocess.run([f"{BIN}/{command[0]}", *command[1:], "--help"], capture_output=True, text=True, check=True).stdout


def flags():
    controller = set(re.findall(r"^ +(--[a-z-]+)", help_of("goodput-controller"), re.M))
    plugin = set(re.findall(r"--[a-z][a-z-]+", help_of("kubectl-goodput") + help_of("kubectl-goodput", "analyze") + help_of("kubectl-goodput", "why")))
    table = set(re.findall(r'\{"?(?:-\w"|NULL|\w+), "(--[a-z-]+)"', CODE)) | set(re.findall(r'"(--[a-z][a-z-]+)"', sources("controller/cli/*.c", "controller/cli/*/*.c", "controller/operator/runtime/flags.c")))
    man = set(re.findall(r"--[a-z][a-z-]+", read("deploy/kubectl/kubectl-goodput.1").replace("\\-", "-")))
    named = {f for text in USERS.values() for span in spans(text) for f in re.findall(r"(?<![\w-])--[a-z][a-z-]*[a-z](?![\w-])", span)}
    scripts = set(re.findall(r"--[a-z][a-z-]+", sources("tests/*/*.sh", "tests/*/*.py", "deploy/*.sh")))
    same("a flag that no program has", {f"{f} ({where(f, USERS)})" for f in named - controller - plugin - FOREIGN_FLAGS - scripts})
    same("a flag of others that no document names", FOREIGN_FLAGS - named)
    reference = set(re.findall(r"^\| `(--[a-z-]+)", TEXT["deploy/docs/reference/flags.md"], re.M))
    same("a flag that only one of goodput-controller and flags.md has", controller ^ reference)
    analyze = set(re.findall(r"--[a-z][a-z-]+", help_of("kubectl-goodput", "analyze")))
    same("a flag of kubectl-goodput that its man page lacks", plugin - analyze - man)
    same("a flag of analyze that no document for users has", {f for f in analyze if not where(f, USERS)})
    same("a flag in the man page that kubectl-goodput lacks", man - plugin - {"--help"})
    kubectl = set(re.findall(r'"(--[a-z][a-z-]+)"', sources("controller/cli/kubectl/flags.c"))) | {"--output-watch-events", "--address", "--field-selector", "--raw"}
    same("a flag in the code that no --help has", table - controller - plugin - kubectl - {"--help", "--version"})


def metrics():
    header = read("controller/export/metrics_table.h").replace("\\\n", " ")
    there = set()
    for name, kind in re.findall(r'X\(\w+,\s*"([a-z_0-9]+)",\s*(\w+)', header):
        there.add(name + ("_total" if kind == "METRIC_COUNTER" else ""))
    reference = set(re.findall(r"^\| `([a-z_0-9]+)`", TEXT["deploy/docs/reference/metrics.md"], re.M))
    same("a metric that metrics.md lacks", there - reference)
    same("a metric in metrics.md that is not exported", reference - there)
    state = sources("deploy/kube-state-metrics.yaml")
    named = {m for text in TEXT.values() for m in re.findall(r"\b(goodput_(?:job|queue|fleet|controller|ingest|push|stream|log)_[a-z_0-9]*[a-z0-9])(?![\w.*]|\.\.\.)", text)}
    same("a metric that is not exported", {f"{m} ({where(m)})" for m in named if m not in there and re.sub(r"_(bucket|sum|count)$", "", m) not in there
                                           and m not in state and not any(t.startswith(m + "_") for t in there)})
    alerts = set(re.findall(r"alert: (\w+)", sources("helm/goodput-controller/files/rules.yaml")))
    documented = set(re.findall(r"^\| (Goodput\w+) \|", TEXT["deploy/docs/reference/metrics.md"], re.M))
    same("an alert that only one of rules.yaml and metrics.md has", alerts ^ documented)
    rules = read("helm/goodput-controller/files/rules.yaml")
    runbooks = set(re.findall(r"runbook_url: (deploy/docs/how-to/alerts.md#\w+)", rules))
    same("an alert without a link to its section", {f"{a} ({x})" for a, x in zip(re.findall(r"alert: (\w+)", rules), re.findall(r"runbook_url: \S+#(\w+)", rules) + [None] * 99)
                                                   if x != a.lower()} | ({"a link to another page"} if len(runbooks) != len(alerts) else set()))
    same("an alert that only one of rules.yaml and alerts.md has", alerts ^ set(re.findall(r"^## (\w+)$", TEXT["deploy/docs/how-to/alerts.md"], re.M)))
    crd = keys("crds/goodput.dev_fleetgoodputs.yaml")["spec"]["versions"]["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]
    row = re.search(r"^\| `goodput_fleet_goodput_ratio`.*", TEXT["deploy/docs/reference/metrics.md"], re.M)[0]
    labels = {re.sub("[A-Z]", lambda m: "_" + m[0].lower(), k) for k in crd["goodputPPM"]["properties"]}
    same("a score of FleetGoodputs that metrics.md does not name", {l for l in labels if not re.search(rf"\b{l}\b", row)})


def reasons():
    set_here = sources("controller/operator/status/conditions.c", "controller/operator/runtime/fleets.c", "controller/operator/model/formats.c",
                       "controller/operator/model/notices.c")
    reason = set(re.findall(r'set\(v, [A-Z_]+, [^,]+, "(\w+)"', set_here)) | set(re.findall(r'reason = "(\w+)"', set_here)) | \
        set(re.findall(r'^ +\{[^,"]+, "([A-Z]\w+)",', set_here, re.M)) | set(re.findall(r'"reason", [^;]*\? "(\w+)" : "(\w+)"', set_here)[0])
    types = set(re.findall(r'"([A-Z]\w+)"', re.search(r"condition_types?\[\][^;]*;|types\[[^;]*;", set_here)[0])) if re.search(r"types\[[^;]*;", set_here) else set()
    coded = {w for text in USERS.values() for span in spans(text) + re.findall(r"^\| (\w+) \|", text, re.M) for w in re.findall(r"\b[A-Z][A-Za-z]+\b", span)}
    same("the reasons were found", set() if len(reason) > 30 else {f"only {len(reason)}"})
    same("a condition or reason that no document names", {r for r in reason | types if r not in coded})
    words = {w for text in USERS.values() for span in re.findall(r"`([A-Z]\w+)`", text) for w in [span] if re.fullmatch(r"([A-Z][a-z]+){2,}", w)}
    same("a name that is nowhere in what is shipped", {f"{w} ({where(w, USERS)})" for w in words - FOREIGN_WORDS if not re.search(rf"\b{w}\b", SHIPPED)})


def fields():
    roots = {}
    for path in glob.glob("crds/*.yaml"):
        properties = keys(path)["spec"]["versions"]["schema"]["openAPIV3Schema"]["properties"]
        for part in ("spec", "status"):
            roots.setdefault(part, []).append(properties[part])

    def has(schema, names):
        while True:
            if "items" in schema:
                schema = schema["items"]
                continue
            break
        if not names:
            return True
        if "properties" in schema:
            return names[0] in schema["properties"] and has(schema["properties"][names[0]], names[1:])
        return "additionalProperties" in schema or schema == {}

    wrong = set()
    for path, text in USERS.items():
        for name in re.findall(r"`((?:spec|status)\.[A-Za-z.\[\]]+)`", text):
            root, *names = re.sub(r"\[[^]]*\]", "", name).strip(".").split(".")
            if name not in FOREIGN_FIELDS and not any(has(r, names) for r in roots[root]):
                wrong.add(f"{name} ({path})")
    same("a field that no schema has", wrong)
    values = keys("helm/goodput-controller/values.yaml")
    wrong = set()
    for path, text in USERS.items():
        for name in re.findall(r"--set '?\"?([a-zA-Z.]+)=", text) + re.findall(r",([a-z][a-zA-Z]*\.[a-zA-Z.]+)=", text):
            node = values
            for part in name.split("."):
                node = node.get(part) if node else ({} if node == {} else None)
            if node is None and name.split(".")[0] not in ("image",) and not re.search(rf'"{name.split(".")[-1]}"', read("helm/goodput-controller/values.schema.json")):
                wrong.add(f"{name} ({path})")
    same("a value that the chart lacks", wrong)


def messages():
    """Tables that say what to do about a message quote it in their first column, with ... and N for what differs."""
    literals = re.sub(r'"\s*\n\s*"', "", CODE)
    named = {(span, path) for path, text in USERS.items() for head, rows in re.findall(r"^\| (message|the log says) \|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.M)
            for row in rows.splitlines() for span in re.findall(r"`([^`]+)`", row.split("|")[1])}
    same("a message that no program has", {f"{span} ({path})" for span, path in named for part in re.split(r"\.\.\.|\bN\b|[,;:]", span)
                                           if part.strip() and part.strip() not in literals and part.strip() != os.strerror(errno.EACCES)})
    same("a page that quotes no message", {p for p in ("deploy/docs/how-to/step-sources.md", "deploy/docs/how-to/export.md") if p not in {path for _, path in named}})


def versions():
    """The rows of versions.md are the pins of tests/cluster/skew and of cluster-test; the README and the chart follow from them."""
    def pin(row, module):
        parts = [f"tests/cluster/skew/{row}/*/go.mod"] if row else []
        for pattern in parts + ["tests/cluster/modules/*/go.mod"]:
            for path in glob.glob(pattern):
                found = re.search(rf"^(?:require |\t){re.escape(module)} v([0-9.]+)", read(path), re.M)
                if found and os.path.basename(os.path.dirname(path)) in PARTS[module]:
                    return found[1]
        return None
    pins = [tuple(pin(row, module) for module in PARTS) for row in ("oldest", "middle", "", "newest")]
    page = "deploy/docs/reference/versions.md"
    rows = re.findall(r"^\| ([0-9.]+) \| ([0-9.]+) \| ([0-9.]+) \|$", TEXT[page], re.M)
    same(f"{page}: rows", set(rows) ^ set(pins))
    minors = [[".".join(version.split(".")[:2]) for version in column] for column in zip(*rows)]
    words = [f"{name} {column[0]} to {column[-1]}" for name, column in zip(("Kubernetes", "JobSet", "Kueue"), minors)]
    text = re.sub(r"\s+", " ", TEXT["README.md"])
    same("README.md lacks", {word for word in words if word not in text})
    chart = read("helm/goodput-controller/Chart.yaml")
    same("Chart.yaml: kubeVersion", [] if f'kubeVersion: ">={minors[0][0]}.0-0"' in chart else [f"is not that of {page}"])


def names():
    annotations = {a for text in USERS.values() for a in re.findall(r"\bgoodput\.dev/(?!v1alpha1)[a-z][a-z-]*", text)}
    there = {a for a in re.findall(r"\bgoodput\.dev/(?!v1alpha1)[a-z][a-z-]*", CODE)}
    same("an annotation or label that the code does not know", annotations - there)
    same("an annotation or label that no document names", there - annotations - {"goodput.dev/controller"})
    targets = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.M))
    same("a make target that is not there", {f"{t} ({where('make ' + t)})" for text in TEXT.values() for span in spans(text)
                                            for t in re.findall(r"(?<![\w-])make ([a-z][a-z-]+)", span) if t not in targets})
    same("a file that is not there", {f"{f} ({path})" for path, text in TEXT.items() if path != "CHANGELOG.md" for span in spans(text)
                                     for f in re.findall(r"(?<![\w/.-])((?:tests|controller|deploy|helm|crds)/[\w./-]*\w)", span)
                                     if not re.search("[A-Z]{2}|_$", os.path.basename(f)) and f != "tests/data/pods.json" and f"{f}*" not in span and not os.path.exists(f) and not os.path.exists(os.path.join(os.path.dirname(path), f))})
    same("a source that is not there", {f for span in spans(TEXT["CONTRIBUTING.md"]) for f in re.findall(r"^[a-z_]+/[a-z_/]+\.[ch]$", span)
                                       if not any(os.path.exists(f"{folder}/{f}") for folder in (".", "controller", "controller/operator"))})
    wrong = set()
    for path, text in TEXT.items():
        for to in re.findall(r"\]\(([^)\s]+)\)", text):
            file, _, anchor = to.partition("#")
            if re.match(r"[a-z]+:", to):
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            if not os.path.exists(target):
                wrong.add(f"{to} ({path})")
            elif anchor and target.endswith(".md"):
                heads = {re.sub(r"[^\w -]", "", h.lower()).strip().replace(" ", "-") for h in re.findall(r"^#+ (.*)$", read(target), re.M)}
                if anchor not in heads:
                    wrong.add(f"{to} ({path})")
    same("a link that leads nowhere", wrong)


for check in (flags, metrics, reasons, fields, messages, versions, names):
    check()
for problem in problems:
    print(f"not ok - {problem}")
print(f"{counted} passed, 0 failed" if not problems else f"{counted} passed, {len(problems)} failed")
sys.exit(bool(problems))
