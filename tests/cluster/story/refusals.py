"""Wrong JobGoodputs: the API server must refuse each with a sentence that a person understands."""
from api import ApiError
from cluster import job_goodput

JOBSET = {"apiGroup": "jobset.x-k8s.io", "kind": "JobSet", "name": "train-a"}

# what is wrong, the spec's target, the rest of the spec, a word that the sentence must hold
WRONG = (
    ("an unsupported kind", {"apiGroup": "apps", "kind": "Deployment", "name": "web"}, {}, "Deployment"),
    (
        "both members of the step log's union",
        JOBSET,
        {"stepLog": {"source": "PodLog", "podLog": {"container": "train"}, "file": {"path": "x"}}},
        "file",
    ),
    ("a source without its member", JOBSET, {"stepLog": {"source": "File"}}, "File"),
    ("a target without a name", {**JOBSET, "name": ""}, {}, "name"),
)


def report(tally, api, namespace="train"):
    for what, target, spec, word in WRONG:
        _refused(tally, what, word, lambda t=target, s=spec: api.create("jobgoodputs", job_goodput(namespace, "wrong", t, **s)))
    api.create("jobgoodputs", job_goodput(namespace, "unchangeable", {**JOBSET, "name": "other"}))
    change = {"spec": {"targetRef": {"name": "another"}}}
    _refused(tally, "a change of targetRef", "targetRef", lambda: api.merge("jobgoodputs", namespace, "unchangeable", change))
    api.delete("jobgoodputs", namespace, "unchangeable")


def _refused(tally, what, word, act):
    try:
        act()
    except ApiError as error:
        tally.check(error.status == 422 and word in error.message, f"{what} is refused", error.message)
    else:
        tally.check(False, f"{what} is refused", "the API server took it")
