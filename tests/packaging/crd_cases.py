"""Good and bad specs of the three kinds: every bound at its limit and one beyond, every enum, every rule both ways,
wrong types and unknown fields. crd-specs.py sends them, with the files in tests/data/crd, to a real API server.

A case is (name, kind, spec, sentence): the sentence is what the refusal must say, None for a spec that is accepted. The
limits are written out here and not read from crds/: a limit that changes there has to change here too."""

TARGET = {"apiGroup": "jobset.x-k8s.io", "kind": "JobSet", "name": "llama3-70b"}
JOB = {"apiGroup": "batch", "kind": "Job", "name": "mnist"}
STEP = "step=(?<step>[0-9]+)"
LINE = {"name": "step", "kind": "Step", "pattern": STEP}
MODEL = {"parameters": "70e9", "tokensPerStep": 1}
ATTENTION = {"layers": 1, "heads": 1, "headDim": 1, "sequenceLength": 1}
REQUIREMENT = {"key": "team", "operator": "In", "values": ["nlp"]}
DENSE = {"width": 1, "mlpWidth": 1, "vocabulary": 1}

# What stands around a field: the smallest valid spec that has it.
WITHIN = {
    "spec": ("JobGoodput", {}),
    "spec.targetRef": ("JobGoodput", {}),
    "spec.stepLog": ("JobGoodput", {}),
    "spec.stepLog.podLog": ("JobGoodput", {}),
    "spec.stepLog.podLog.pod": ("JobGoodput", {}),
    "spec.stepLog.regex": ("JobGoodput", {"stepLog": {"format": "Regex", "regex": {"step": STEP}}}),
    "spec.stepLog.cloudLogging": ("JobGoodput", {
        "stepLog": {"source": "CloudLogging", "cloudLogging": {"project": "p", "logger": "l"}}}),
    "spec.stepLog.push": ("JobGoodput", {"stepLog": {"source": "Push"}}),
    "spec.stepLog.file": ("JobGoodput", {"stepLog": {"source": "File", "file": {"path": "a"}}}),
    "spec.cost": ("JobGoodput", {}),
    "spec.program": ("JobGoodput", {}),
    "spec.program.model": ("JobGoodput", {"program": {"model": dict(MODEL, **ATTENTION)}}),
    "fleet.spec": ("FleetGoodput", {}),
    "fleet.spec.selector": ("FleetGoodput", {}),
    "fleet.spec.selector.labelSelector": ("FleetGoodput", {}),
    "fleet.spec.selector.labelSelector.matchExpressions[0]": ("FleetGoodput", {
        "selector": {"labelSelector": {"matchExpressions": [REQUIREMENT]}}}),
    "fleet.spec.capacity": ("FleetGoodput", {}),
    "fleet.spec.window": ("FleetGoodput", {}),
    "format.spec": ("StepLogFormat", {"patterns": [LINE]}),
    "format.spec.patterns[0]": ("StepLogFormat", {"patterns": [LINE]}),
    "format.spec.patterns[0].fields[0]": ("StepLogFormat", {
        "patterns": [dict(LINE, fields=[{"group": "step", "meaning": "Step"}])]}),
    "format.spec.patterns[0].examples[0]": ("StepLogFormat", {"patterns": [dict(LINE, examples=[{"line": "step=1"}])]}),
    "format.spec.patterns[0].examples[0].gives": ("StepLogFormat", {
        "patterns": [dict(LINE, examples=[{"line": "step=1", "gives": {"step": 1}}])]}),
}


def padded(start):
    return lambda n: start + "x" * (n - len(start)) if n > 0 else ""


def strings(length):
    return lambda n: ["n%d" % i + "x" * (length - len("n%d" % i)) for i in range(n)]


# Every string that has a limit: (field, shortest, longest, how one of n characters is made). Shortest 0: not checked.
STRINGS = [
    ("spec.targetRef.apiGroup", 1, 128, None), ("spec.targetRef.kind", 1, 64, None),
    ("spec.targetRef.name", 1, 253, padded("")), ("spec.stepLog.format", 1, 253, padded("")),
    ("spec.stepLog.podLog.container", 1, 63, padded("")), ("spec.stepLog.podLog.pod.replicatedJob", 1, 63, padded("")),
    ("spec.stepLog.regex.step", 1, 1024, padded(STEP)), ("spec.stepLog.regex.checkpointStart", 1, 1024, padded("")),
    ("spec.stepLog.regex.checkpointSaved", 1, 1024, padded("")),
    ("spec.stepLog.regex.checkpointRestored", 1, 1024, padded("")),
    ("spec.stepLog.cloudLogging.project", 1, 128, padded("")), ("spec.stepLog.cloudLogging.logger", 1, 512, padded("")),
    ("spec.stepLog.cloudLogging.jobName", 1, 253, padded("")), ("spec.stepLog.push.jobName", 1, 253, padded("")),
    ("spec.stepLog.file.path", 1, 1024, padded("")),
    ("spec.cost.pricePerChipHour", 1, 15, None), ("spec.cost.currency", 3, 3, lambda n: "U" * n),
    ("spec.program.model.parameters", 1, 32, lambda n: "1" * n),
    ("fleet.spec.selector.labelSelector.matchExpressions[0].key", 1, 317, padded("")),
    ("fleet.spec.window.rolling", 0, 5, None),
    ("format.spec.patterns[0].name", 1, 63, padded("")), ("format.spec.patterns[0].pattern", 1, 1024, padded(STEP)),
    ("format.spec.patterns[0].fields[0].group", 1, 32, padded("")),
    ("format.spec.patterns[0].examples[0].line", 1, 2048, padded("")),
    ("format.spec.patterns[0].examples[0].gives.tflopsPerDevice", 1, 32, lambda n: "1" * n),
    ("format.spec.patterns[0].examples[0].gives.name", 1, 63, lambda n: "a" * n),
]

# Every list that has a limit: (field, fewest, most, how one of n elements is made).
LISTS = [
    ("spec.requiredReplicatedJobs", 1, 64, strings(63)),
    ("spec.windowSeconds", 1, 4, lambda n: [60 + i for i in range(n)]),
    ("fleet.spec.selector.namespaces", 1, 64, strings(253)), ("fleet.spec.selector.localQueues", 1, 64, strings(253)),
    ("fleet.spec.selector.clusterQueues", 1, 64, strings(253)),
    ("fleet.spec.selector.priorityClasses", 1, 64, strings(253)),
    ("fleet.spec.selector.labelSelector.matchExpressions", 0, 32,
     lambda n: [{"key": "k%d" % i, "operator": "Exists"} for i in range(n)]),
    ("fleet.spec.selector.labelSelector.matchExpressions[0].values", 0, 32, strings(63)),
    ("fleet.spec.capacity.accelerators", 1, 16, strings(64)),
    ("fleet.spec.groupBy", 0, 3, lambda n: ["label:" + s for s in strings(317)(n)]),
    ("format.spec.patterns", 1, 16, lambda n: [dict(LINE, name="p%d" % i) for i in range(n)]),
    ("format.spec.patterns[0].fields", 0, 8, lambda n: [{"group": "g%d" % i, "meaning": "Duration"} for i in range(n)]),
    ("format.spec.patterns[0].examples", 0, 16, lambda n: [{"line": "step=%d" % i} for i in range(n)]),
]

# Every map that has a limit.
MAPS = [("fleet.spec.selector.labelSelector.matchLabels", 32), ("fleet.spec.capacity.nodeSelector", 16)]

# Every string in a list or a map that has a limit: (field, element of n characters, longest).
ELEMENTS = [
    ("spec.requiredReplicatedJobs", 63), ("fleet.spec.selector.namespaces", 253),
    ("fleet.spec.selector.localQueues", 253), ("fleet.spec.selector.clusterQueues", 253),
    ("fleet.spec.selector.priorityClasses", 253), ("fleet.spec.capacity.accelerators", 64),
]

# Every number: (field, smallest, largest).
NUMBERS = [
    ("spec.idealStepMilliseconds", 1, 86400000), ("spec.totalSteps", 1, 10**12), ("spec.hangAfterSeconds", 1, 604800),
    ("spec.ttlSecondsAfterFinished", 0, 315360000), ("spec.stepLog.podLog.pod.jobIndex", 0, 10**6),
    ("spec.stepLog.podLog.pod.completionIndex", 0, 10**6), ("spec.program.peakGFLOPSPerChip", 1, 10**9),
    ("spec.program.devicesPerChip", 1, 64), ("spec.program.model.layers", 1, 10**5),
    ("spec.program.model.heads", 1, 10**5), ("spec.program.model.headDim", 1, 10**6),
    ("spec.program.model.sequenceLength", 1, 10**9), ("spec.program.model.tokensPerStep", 1, 10**12),
    ("spec.program.model.tokensPerSecond", 1, 10**12),
    ("spec.program.model.width", 1, 10**7), ("spec.program.model.kvHeads", 1, 10**5),
    ("spec.program.model.mlpWidth", 1, 10**8), ("spec.program.model.mlpMatrices", 2, 3),
    ("spec.program.model.vocabulary", 1, 10**9), ("format.spec.patterns[0].examples[0].gives.step", 0, 10**15),
    ("format.spec.patterns[0].examples[0].gives.milliseconds", 0, 31622400000),
]

# Every enum, with all its values.
ENUMS = [
    ("spec.stepLog.source", "PodLog CloudLogging File Push None"), ("spec.program.dataType", "BF16 INT8 FP8"),
    ("spec.program.model.attention", "Full Causal"),
    ("fleet.spec.selector.labelSelector.matchExpressions[0].operator", "In NotIn Exists DoesNotExist"),
    ("fleet.spec.window.calendar", "Day Week Month"),
    ("format.spec.patterns[0].kind", "Step StepStart CheckpointStart CheckpointSaved CheckpointRestoreStart CheckpointRestored "
     "EvaluationStart EvaluationEnd DataStart DataEnd JobStart JobEnd"),
    ("format.spec.patterns[0].fields[0].meaning", "Step NextStep Duration Time Throughput Evaluation CheckpointSave"),
    ("format.spec.patterns[0].fields[0].unit",
     "s ms us ns min RFC3339 unixSeconds unixMilliseconds TFLOP/s GFLOP/s"),
]

NAME = "name must be the name of the job: lower case letters, digits, '-' and '.'"
FORMAT = "format is Auto, Recorder, MaxText, Megatron, NeMo, TorchTitan, DeepSpeed, HuggingFace, Keras, Lightning, Generic, " \
    "Regex or the name of a StepLogFormat (in lower case)"
PATH = "path lies below the controller's log root: it must not begin with '/' or contain '..'"
PRICE = 'pricePerChipHour must be a decimal number in quotes from 0 to 1000000, such as "2.5"'
CURRENCY = "currency must be a code of three capital letters (ISO 4217), such as USD"
PARAMETERS = 'parameters must be a positive decimal number in quotes, such as "70e9", "1.5e12" or "70000000000"'
ROLLING = "a rolling window is 1h to 744h or 1d to 31d, such as 12h or 7d"
GROUP_BY = "groupBy takes queue, clusterQueue, namespace, accelerator, job, or label:KEY with the key of a label"
OPERATORS = "operators In and NotIn need values, Exists and DoesNotExist must have none"
TFLOPS = 'tflopsPerDevice must be a decimal number in quotes, such as "180.5"'

# Every rule of one value: (field, the sentence, values that it accepts, values that it refuses).
VALUES = [
    ("spec.targetRef.name", NAME, ["a", "0", "a.b-c.0", "a--b"],
     ["A", "-a", "a-", "a..b", "a_b", "größe", "a b", "模型"]),
    ("spec.stepLog.format", FORMAT,
     "Auto Recorder MaxText Megatron NeMo TorchTitan DeepSpeed HuggingFace Keras Lightning Generic my-format a.b 0".split(),
     ["maxText", "auto ", "Fairseq", "-a", "a-", "größe", "AUTO"]),
    ("spec.stepLog.file.path", PATH, ["a/b.log", "a..b/c", "größe.log", "..."],
     ["/", "/a", "..", "a/..", "../a", "a/../b"]),
    ("spec.stepLog.regex.step", "regex.step must have a named group for the step number",
     ["(?P<step>\\d+)", "größe (?<step>[0-9]+)"], ["step", "(?<Step>[0-9]+)", "(step)"]),
    ("spec.cost.pricePerChipHour", PRICE, ["0", "2.5", "999999.999999", "1000000"],
     ["-1", "1e3", ".5", "2.", "1000001", "2,5", "1.0000001", "٣"]),
    ("spec.cost.currency", CURRENCY, ["USD", "EUR"], ["usd", "US1", "€€€"]),
    ("spec.program.model.parameters", PARAMETERS, ["1", "70e9", "1.5E+12", "70000000000"],
     ["0", "-1", "70B", "1e100", ".5", "1e-3", "seventy"]),
    ("fleet.spec.window.rolling", ROLLING, ["1h", "744h", "1d", "31d", "99h", "739h"],
     ["0h", "745h", "0d", "32d", "7", "7D", "-1d", "1.5h", "90m", ""]),
    ("fleet.spec.groupBy", GROUP_BY,
     [["queue"], ["clusterQueue", "namespace"], ["accelerator", "job"], ["label:team"], ["label:a.b/c_d-e"]],
     [["team"], ["Queue"], ["label:"], ["label:größe"], ["label:-a"], ["queue", "teams"]]),
    ("format.spec.patterns[0].examples[0].gives.tflopsPerDevice", TFLOPS, ["0", "180", "180.5"],
     ["-1", "1e3", ".5", "180.", "many"]),
]

# Every rule about several fields, both ways: (name, kind, spec, the sentence or None).
OTHERS = [
    ("target-job", "JobGoodput", {"targetRef": JOB}, None),
    ("target-job-of-jobset", "JobGoodput", {"targetRef": dict(JOB, apiGroup="jobset.x-k8s.io")},
     "kind Job with apiGroup jobset.x-k8s.io is not supported as a target: use jobset.x-k8s.io JobSet, "
     "batch Job, trainer.kubeflow.org TrainJob, ray.io RayJob, leaderworkerset.x-k8s.io LeaderWorkerSet, "
     "kueue.x-k8s.io Workload or kubeflow.org PyTorchJob (a group has no version)"),
    ("target-jobset-of-batch", "JobGoodput", {"targetRef": dict(TARGET, apiGroup="batch")},
     "kind JobSet with apiGroup batch is not supported as a target"),
    ("target-trainjob", "JobGoodput",
     {"targetRef": {"apiGroup": "trainer.kubeflow.org", "kind": "TrainJob", "name": "a"}, "requiredReplicatedJobs": ["node"]}, None),
    ("target-trainjob-of-kubeflow", "JobGoodput", {"targetRef": {"apiGroup": "kubeflow.org", "kind": "TrainJob", "name": "a"}},
     "kind TrainJob with apiGroup kubeflow.org is not supported as a target"),
    ("target-rayjob", "JobGoodput", {"targetRef": {"apiGroup": "ray.io", "kind": "RayJob", "name": "a"}}, None),
    ("target-raycluster", "JobGoodput", {"targetRef": {"apiGroup": "ray.io", "kind": "RayCluster", "name": "a"}},
     "kind RayCluster with apiGroup ray.io is not supported as a target"),
    ("target-lws", "JobGoodput", {"targetRef": {"apiGroup": "leaderworkerset.x-k8s.io", "kind": "LeaderWorkerSet", "name": "a"}}, None),
    ("target-pytorchjob", "JobGoodput", {"targetRef": {"apiGroup": "kubeflow.org", "kind": "PyTorchJob", "name": "a"}}, None),
    ("target-podgroup", "JobGoodput", {"targetRef": {"apiGroup": "kueue.x-k8s.io", "kind": "Workload", "name": "a"}}, None),
    ("target-mpijob", "JobGoodput", {"targetRef": {"apiGroup": "kubeflow.org", "kind": "MPIJob", "name": "a"}},
     "kind MPIJob with apiGroup kubeflow.org is not supported as a target"),
    ("target-no-name", "JobGoodput", {"targetRef": {"apiGroup": "batch", "kind": "Job"}},
     "spec.targetRef.name: Required value"),
    ("target-no-kind", "JobGoodput", {"targetRef": {"apiGroup": "batch", "name": "a"}},
     "spec.targetRef.kind: Required value"),
    ("target-no-group", "JobGoodput", {"targetRef": {"kind": "Job", "name": "a"}},
     "spec.targetRef.apiGroup: Required value"),
    ("job-with-replicated-jobs", "JobGoodput", {"targetRef": JOB, "requiredReplicatedJobs": ["a"]},
     "a batch/v1 Job has no replicated jobs: leave requiredReplicatedJobs out, it is for a JobSet"),
    ("job-with-job-index", "JobGoodput", {"targetRef": JOB, "stepLog": {"podLog": {"pod": {"jobIndex": 0}}}},
     "a pod of a batch/v1 Job is chosen by completionIndex alone"),
    ("job-with-replicated-job", "JobGoodput",
     {"targetRef": JOB, "stepLog": {"podLog": {"pod": {"replicatedJob": "a"}}}},
     "a pod of a batch/v1 Job is chosen by completionIndex alone"),
    ("job-with-completion-index", "JobGoodput",
     {"targetRef": JOB, "stepLog": {"podLog": {"pod": {"completionIndex": 1}}}}, None),
    ("regex-without-format", "JobGoodput", {"stepLog": {"regex": {"step": STEP}}},
     "regex is used only with format: Regex; remove regex or set stepLog.format to Regex"),
    ("format-without-regex", "JobGoodput", {"stepLog": {"format": "Regex"}},
     "format Regex needs stepLog.regex with a pattern for step"),
    ("cloud-logging-without-project", "JobGoodput",
     {"stepLog": {"source": "CloudLogging", "cloudLogging": {"logger": "l"}}},
     "spec.stepLog.cloudLogging.project: Required value"),
    ("file-without-path", "JobGoodput", {"stepLog": {"source": "File", "file": {}}},
     "spec.stepLog.file.path: Required value"),
    ("push-alone", "JobGoodput", {"stepLog": {"source": "Push"}}, None),
    ("model-no-tokens", "JobGoodput", {"program": {"model": {"parameters": "1"}}},
     "give tokensPerStep or tokensPerSecond, and not both"),
    ("model-both-tokens", "JobGoodput", {"program": {"model": dict(MODEL, tokensPerSecond=1)}},
     "give tokensPerStep or tokensPerSecond, and not both"),
    ("model-tokens-per-second", "JobGoodput",
     {"program": {"model": {"parameters": "1", "tokensPerSecond": 10**12}}}, None),
    ("model-no-parameters", "JobGoodput", {"program": {"model": {"tokensPerStep": 1}}},
     "give parameters, or all that they follow from: layers, heads, headDim, width, mlpWidth and vocabulary"),
    ("model-dense", "JobGoodput", {"program": {"model": dict(ATTENTION, tokensPerStep=1, **DENSE)}}, None),
    ("model-dense-without-vocabulary", "JobGoodput",
     {"program": {"model": dict(ATTENTION, tokensPerStep=1, width=1, mlpWidth=1)}},
     "give parameters, or all that they follow from"),
    ("model-attention", "JobGoodput", {"program": {"model": dict(MODEL, **ATTENTION)}}, None),
    ("window-rolling-and-calendar", "FleetGoodput", {"window": {"rolling": "7d", "calendar": "Day"}},
     "window is either rolling (such as 7d or 12h) or calendar (Day, Week or Month): give one of them"),
    ("window-neither", "FleetGoodput", {"window": {}}, "window is either rolling"),
    ("exists-with-values", "FleetGoodput",
     {"selector": {"labelSelector": {"matchExpressions": [dict(REQUIREMENT, operator="Exists")]}}}, OPERATORS),
    ("not-in-with-no-values", "FleetGoodput",
     {"selector": {"labelSelector": {"matchExpressions": [dict(REQUIREMENT, operator="NotIn", values=[])]}}},
     OPERATORS),
    ("requirement-without-operator", "FleetGoodput",
     {"selector": {"labelSelector": {"matchExpressions": [{"key": "a"}]}}}, "operator: Required value"),
    ("group-by-twice", "FleetGoodput", {"groupBy": ["queue", "queue"]}, 'spec.groupBy[1]: Duplicate value: "queue"'),
    ("patterns-without-step", "StepLogFormat", {"patterns": [dict(LINE, kind="JobEnd")]},
     "at least one pattern has to be of kind Step or StepStart: without steps there is no runtime goodput"),
    ("patterns-of-one-name", "StepLogFormat", {"patterns": [LINE, LINE]}, "spec.patterns[1]: Duplicate value"),
    ("patterns-missing", "StepLogFormat", {}, "spec.patterns: Required value"),
    ("pattern-without-kind", "StepLogFormat", {"patterns": [{"name": "a", "pattern": STEP}]},
     "spec.patterns[0].kind: Required value"),
    ("pattern-unicode", "StepLogFormat", {"patterns": [dict(LINE, pattern="Schritt №(?<step>[0-9]+) – größer")]}, None),
    ("field-of-one-group-twice", "StepLogFormat",
     {"patterns": [dict(LINE, fields=[{"group": "a", "meaning": "Step"}, {"group": "a", "meaning": "Time"}])]},
     "spec.patterns[0].fields[1]: Duplicate value"),
    ("example-twice", "StepLogFormat", {"patterns": [dict(LINE, examples=[{"line": "a"}, {"line": "a"}])]},
     "spec.patterns[0].examples[1]: Duplicate value"),
    ("null-is-absent", "JobGoodput", {"hangAfterSeconds": None}, None),
    ("example-time", "StepLogFormat",
     {"patterns": [dict(LINE, examples=[{"line": "a", "gives": {"time": "2026-11-01T00:00:00.5+05:45"}}])]}, None),
    ("example-time-words", "StepLogFormat",
     {"patterns": [dict(LINE, examples=[{"line": "a", "gives": {"time": "yesterday"}}])]},
     "time in body must be of type date-time"),
]
for one, other in [("PodLog", "cloudLogging"), ("PodLog", "push"), ("PodLog", "file"), ("CloudLogging", "podLog"),
                   ("CloudLogging", "file"), ("File", "podLog"), ("File", "cloudLogging"), ("File", "push"),
                   ("Push", "podLog"), ("Push", "cloudLogging"), ("Push", "file"), ("None", "podLog"), ("None", "push"),
                   ("None", "file")]:
    union = {"cloudLogging": {"project": "p", "logger": "l"}, "push": {"jobName": "a"}, "file": {"path": "a"},
             "podLog": {"container": "a"}}
    own = one[0].lower() + one[1:]
    OTHERS.append(("union-%s-%s" % (one, other), "JobGoodput",
                   {"stepLog": dict({k: union[k] for k in (own, other) if k in union}, source=one)},
                   "%s is read only with source: %s; remove %s or set stepLog.source to" % (
                       other, other[0].upper() + other[1:], other)))

# A wrong type of every kind of field: (field, value, the type that is allowed).
TYPES = [
    ("spec.targetRef", "llama3-70b", "object"), ("spec.targetRef.name", 7, "string"), ("spec.stepLog", [], "object"),
    ("spec.stepLog.source", True, "string"), ("spec.idealStepMilliseconds", "2400", "integer"),
    ("spec.windowSeconds", 3600, "array"), ("spec.windowSeconds", ["3600"], "integer"),
    ("spec.requiredReplicatedJobs", "slice", "array"), ("spec.requiredReplicatedJobs", [1], "string"),
    ("spec.cost.pricePerChipHour", 2.5, "string"), ("spec.program.quantized", "true", "boolean"),
    ("spec.program.model.layers", 1.5, "int64"), ("spec.program.model.parameters", 70000000000, "string"),
    ("spec.totalSteps", 2**63, "int64"),
    ("fleet.spec.groupBy", "queue", "array"), ("fleet.spec.window", "7d", "object"),
    ("fleet.spec.selector.labelSelector.matchLabels", {"team": 1}, "string"),
    ("fleet.spec.capacity.nodeSelector", ["a"], "object"), ("format.spec.patterns", STEP, "array"),
    ("format.spec.patterns[0].pattern", ["a"], "string"),
    ("format.spec.patterns[0].examples[0].gives.step", "1", "integer"),
]

# An unknown field in every object.
UNKNOWN = sorted(WITHIN)
