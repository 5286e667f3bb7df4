#!/bin/bash
# The chart without a cluster: lint, what it renders with several values, and what it says to wrong values.
# Endpoints and exports have a separate file: chart-endpoints.sh.
set -uo pipefail
. "$(dirname "$0")/render.sh"

check "lint, strict" "$helm" lint --strict --kube-version 1.36.0 "$chart"
check "the README's values are values.yaml's" tests/packaging/values-readme.py --check
check "the chart's CRD and the plain manifests are up to date" deploy/render.sh --check

same "the schema knows no value that values.yaml does not have" "" "$(python3 - <<'SCHEMA'
import json, yaml
chart = "helm/goodput-controller/"
schema, values = json.load(open(chart + "values.schema.json")), yaml.safe_load(open(chart + "values.yaml"))
def missing(s, v, path):
    s = schema["definitions"][s["$ref"].rsplit("/", 1)[1]] if "$ref" in s else s
    for name, part in s.get("properties", {}).items():
        if not isinstance(v, dict) or name not in v:
            yield path + name
        elif v[name]:
            yield from missing(part, v[name], path + name + ".")
# global is Helm's own; claims are Kubernetes'.
print(*sorted(set(missing(schema, values, "")) - {"global", "resources.claims"}))
SCHEMA
)"

same "one version: chart, application, image, programs" "" "$(python3 - <<'VERSIONS'
import re, yaml
chart = yaml.safe_load(open("helm/goodput-controller/Chart.yaml"))
read = {k: yaml.safe_load(chart["annotations"]["artifacthub.io/" + k]) for k in ("images", "changes", "crds")}
program = re.search(r"^VERSION\s*[:?]?=\s*(\S+)", open("Makefile").read(), re.M)[1]
found = {"version": chart["version"], "appVersion": chart["appVersion"], "program": program, "image": read["images"][0]["image"].rsplit(":", 1)[1]}
wrong = [] if len(set(found.values())) == 1 else [found]
wrong += [c for c in read["changes"] if c["kind"] not in ("added", "changed", "deprecated", "removed", "fixed", "security") or not c["description"]]
wrong += [k for k in ("icon", "maintainers") if not chart.get(k)]
crds = {c["name"] for c in read["crds"]}
wrong += crds ^ {"jobgoodputs.goodput.dev", "fleetgoodputs.goodput.dev", "steplogformats.goodput.dev"}
wrong += [path for path in ("helm/goodput-controller/README.md", "helm/goodput-controller/templates/NOTES.txt", "deploy/docs/tutorials/gke.md") for c in crds if c not in open(path).read()]
print(*wrong)
VERSIONS
)"

# ---- what is rendered ----
# Helm looks up each kind before it makes an object, hooks included, and waits for no CustomResourceDefinition of a template.
same "no object is of a kind that the chart itself defines" "" "$(render --set metrics.dashboard.enabled=true,networkPolicy.enabled=true \
	--api-versions goodput.dev/v1alpha1 | grep '^apiVersion: goodput.dev')"
same "the controller makes the StepLogFormats" "--install-formats=true" "$(flags | grep -o -- '--install-formats=[a-z]*')"
shipped() { render -s templates/clusterrole.yaml "$@" | python3 -c '
import sys, yaml
rules = [r for x in yaml.safe_load_all(sys.stdin) for r in x.get("rules", []) if "resourceNames" in r]
print(*(sorted(r["resourceNames"]) + r["resources"] + r["verbs"] for r in rules))'; }
same "and may write no others" "$(ls $chart/files/formats | sed 's/[.]yaml$//' | python3 -c 'import sys; print(sys.stdin.read().split() + ["steplogformats", "create", "patch"])')" "$(shipped)"
same "stepLogFormats.install=false" " 0" "$(shipped --set stepLogFormats.install=false) $(flags --set stepLogFormats.install=false | grep -c install-formats)"
same "by default" "ClusterRole=4 ClusterRoleBinding=1 CustomResourceDefinition=3 Deployment=1 Pod=1 PodDisruptionBudget=1 Role=2 RoleBinding=2 Service=1 ServiceAccount=1" \
	"$(render | kinds)"
same "crds.install=false" "" "$(render --set crds.install=false | kinds | grep -o CustomResourceDefinition)"
same "rbac.create=false" "CustomResourceDefinition=3 Deployment=1 Pod=1 PodDisruptionBudget=1 Service=1 ServiceAccount=1" "$(render --set rbac.create=false | kinds)"
same "one replica needs no PodDisruptionBudget" "" "$(render --set replicas=1 | kinds | grep -o PodDisruptionBudget)"
same "rbac.nodeLeases=false leaves kube-node-lease alone" "" "$(render --set rbac.nodeLeases=false | grep kube-node-lease)"
same "rbac.podLogs=false leaves pod logs alone" "" "$(render --set rbac.podLogs=false | grep pods/log)"
same "watchNamespaces: a Role in each" "  namespace: ml   namespace: research" \
	"$(render --set 'watchNamespaces={research,ml}' | grep -A3 '^kind: Role$' | grep -E 'namespace: (research|ml)' | sort | paste -sd' ')"
same "watchNamespaces: only nodes, their devices, and who reads metrics, for the whole cluster" "nodes resourceslices steplogformats, fleetgoodputs steplogformats/status, fleetgoodputs/status steplogformats tokenreviews subjectaccessreviews" \
	"$(render --set 'watchNamespaces={research}' -s templates/clusterrole.yaml | sed -n 's/.*resources: \[\(.*\)\]/\1/p' | paste -sd' ')"
tenant() { render --set 'watchNamespaces={research},rbac.clusterRoles=false,metrics.enabled=false,crds.install=false' "$@"; }
same "rbac.clusterRoles=false: Roles in watchNamespaces and in its own namespace alone" "  namespace: goodput-system   namespace: research" \
	"$(tenant | grep -A3 '^kind: Role$' | grep -E '^  namespace:' | sort | paste -sd' ')"
same "and nothing for the whole cluster" "" "$(tenant | kinds | grep -oE 'Cluster[A-Za-z]+=')"
refused "rbac.clusterRoles=false without watchNamespaces" "rbac.clusterRoles=false needs watchNamespaces" render --set rbac.clusterRoles=false,metrics.enabled=false
refused "rbac.clusterRoles=false with metrics" "rbac.clusterRoles=false needs metrics.enabled=false" \
	render --set 'watchNamespaces={research},rbac.clusterRoles=false'
same "metrics.enabled=false needs no reviews of its readers" "nodes resourceslices steplogformats, fleetgoodputs steplogformats/status, fleetgoodputs/status steplogformats" \
	"$(render --set 'watchNamespaces={research},metrics.enabled=false' -s templates/clusterrole.yaml | sed -n 's/.*resources: \[\(.*\)\]/\1/p' | paste -sd' ')"
same "metrics.enabled=false leaves no Service" "" "$(render --set metrics.enabled=false | kinds | grep -o 'Service=1')"
same "watchNamespaces: Events of nodes, only to be read" "[get, list, watch]" \
	"$(render --set 'watchNamespaces={research}' -s templates/role-nodeevents.yaml | sed -n 's/.*verbs: //p')"
same "watchNamespaces with default has them there" "" "$(render --set 'watchNamespaces={default}' | grep node-events)"
same "nodeSignals: a row each, separated by tabs" "--node-signals=/etc/goodput/node-signals/node-signals.tsv condition|Rack Power|True|*|Unknown|primary|Provider|RackPowerLost|this site" \
	"$(render --set-json 'nodeSignals=[{"what":"condition","key":"Rack Power","value":"True","class":"Unknown","role":"primary","owner":"Provider","signal":"RackPowerLost"}]' |
		grep -oE '^ *- --node-signals.*|^    condition.*' | sed 's/^ *\(- \)*//' | tr '\t' '|' | sort | paste -sd' ')"
same "ownerPolicy: a row each, separated by tabs" "--owner-policy=/etc/goodput/owner-policy/owner-policy.tsv cause|SpotReclaim|spot pool|*|Tenant" \
	"$(render --set-json 'ownerPolicy=[{"what":"cause","name":"SpotReclaim","nodePool":"spot pool","owner":"Tenant"}]' |
		grep -oE '^ *- --owner-policy.*|^    cause.*' | sed 's/^ *\(- \)*//' | tr '\t' '|' | sort | paste -sd' ')"
verbs() { render "$@" -s templates/clusterrole.yaml | sed -n '/resources: \[jobgoodputs\]/{n;s/ *verbs: //p}'; }
same "JobGoodputs: read, and deleted when over" "[get, list, watch, delete]" "$(verbs)"
same "autoCreate: made as well" "[get, list, watch, create, delete]" "$(verbs --set autoCreate=annotated)"
same "rbac.deleteFinished=false: only read" "[get, list, watch]" "$(verbs --set rbac.deleteFinished=false)"
# What a tenant gets by the cluster's own roles edit and admin: FleetGoodputs, StepLogFormats and statuses it does not write.
same "the role editor writes JobGoodputs alone" "view [jobgoodputs, steplogformats, fleetgoodputs] [get, list, watch] edit admin [jobgoodputs] [get, list, watch, create, update, patch, delete, deletecollection]" \
	"$(render -s templates/clusterroles-users.yaml | sed -n 's/.*aggregate-to-\([a-z]*\): "true"/\1/p; s/.*resources: //p; s/.*verbs: //p' | paste -sd' ')"
# Each monitor behind its value, and what it needs with it.
with() { render --set "$1" | kinds | grep -oE '(Pod|Service)Monitor=1|ClusterPodMonitoring=1|ClusterRules=1|PrometheusRule=1|ConfigMap=1|NetworkPolicy=1|Secret=1' | paste -sd' '; }
same "serviceMonitor, with the alert on hangs" "PrometheusRule=1 ServiceMonitor=1" "$(with metrics.serviceMonitor.enabled=true)"
same "podMonitor, with a token" "PodMonitor=1 PrometheusRule=1 Secret=1" "$(with metrics.podMonitor.enabled=true)"
same "clusterPodMonitoring, with a token" "ClusterPodMonitoring=1 ClusterRules=1 Secret=1" "$(with metrics.clusterPodMonitoring.enabled=true)"
same "hangAlert=false leaves the alert out" "ClusterPodMonitoring=1 PodMonitor=1 Secret=1" "$(with metrics.clusterPodMonitoring.enabled=true,metrics.podMonitor.enabled=true,metrics.hangAlert=false)"
same "Google's operator keeps the label namespace, and finds the Secret" "[] goodput-system" \
	"$(render --set metrics.clusterPodMonitoring.enabled=true -s templates/clusterpodmonitoring.yaml | python3 -c '
import sys, yaml
s = [x for x in yaml.safe_load_all(sys.stdin) if x["kind"] == "ClusterPodMonitoring"][0]["spec"]
print(s["targetLabels"]["metadata"], s["endpoints"][0]["authorization"]["credentials"]["secret"]["namespace"])')"
alerts() { render -s "templates/$1.yaml" --set "$2" | grep -oE 'alert: \w+' | sed 's/alert: //' | paste -sd' '; }
same "a monitor alone brings the one alert" "GoodputJobHangs GoodputJobHangs" "$(alerts prometheusrule metrics.podMonitor.enabled=true) $(alerts clusterrules metrics.clusterPodMonitoring.enabled=true)"
same "clusterRules has all alerts, as prometheusRule" "$(alerts prometheusrule metrics.prometheusRule.enabled=true)" "$(alerts clusterrules metrics.clusterRules.enabled=true)"
same "allJobSeries sets the flag and installs the alerts that need it" "--all-job-series=true GoodputSameRootCause GoodputProviderInterrupts" \
	"$(render --set metrics.allJobSeries=true -s templates/deployment.yaml | grep -o -- '--all-job-series=.*') $(comm -13 --nocheck-order \
		<(alerts prometheusrule metrics.prometheusRule.enabled=true | tr ' ' '\n') <(alerts prometheusrule metrics.prometheusRule.enabled=true,metrics.allJobSeries=true | tr ' ' '\n') | paste -sd' ')"
same "which are not there by default" "" "$(render -s templates/deployment.yaml | grep -e --all-job-series)"
same "links of alerts to their sections" "11 https://git.example.com/docs/how-to/alerts.md#" \
	"$(render -s templates/prometheusrule.yaml --set metrics.prometheusRule.enabled=true,documentationURL=https://git.example.com/docs/ | sed -n 's/ *runbook_url: \(.*#\).*/\1/p' | sort | uniq -c | xargs)"
same "prometheusRule" "PrometheusRule=1" "$(with metrics.prometheusRule.enabled=true)"
same "dashboard" "ConfigMap=1" "$(with metrics.dashboard.enabled=true)"
same "networkPolicy" "NetworkPolicy=1" "$(with networkPolicy.enabled=true)"
tls=metrics.tls.secretName=own,metrics.serviceMonitor.enabled=true,metrics.podMonitor.enabled=true,metrics.clusterPodMonitoring.enabled=true
same "a certificate of one's own is mounted" "--metrics-cert-dir=/etc/goodput/metrics-certificate mountPath: /etc/goodput/metrics-certificate secretName: own" \
	"$(render --set $tls -s templates/deployment.yaml | sed -nE 's/^[- ]*(--metrics-cert-dir=.*|mountPath: .*|secretName: .*)/\1/p' | paste -sd' ')"
same "and all monitors verify it" "3 3 0" "$(render --set $tls | grep -c 'key: ca.crt') $(render --set $tls | grep -c 'serverName: goodput-controller-metrics.goodput-system.svc$') $(render --set $tls | grep -c insecureSkipVerify)"
same "whose authority may be elsewhere" "3" "$(render --set $tls,metrics.tls.caSecretName=trust,metrics.tls.caKey=root.pem | grep -A1 'name: trust$' | grep -c 'key: root.pem')"
same "cert-manager makes it when there is an issuer" "Certificate=1" "$(render --set metrics.tls.secretName=own,metrics.tls.issuerRef.name=x | kinds | grep -o 'Certificate=[0-9]*')"
same "no certificate without metrics" "" "$(render --set $tls,metrics.tls.issuerRef.name=x,metrics.enabled=false | grep -iE 'cert-dir|kind: Certificate|secretName')"
same "no monitor without metrics" "" "$(with metrics.enabled=false,metrics.serviceMonitor.enabled=true,metrics.clusterPodMonitoring.enabled=true,metrics.prometheusRule.enabled=true)"
same "the objectives" "expr: vector(0.95) expr: vector(0.7)" "$(render --set metrics.prometheusRule.enabled=true --set-string metrics.objective=0.95,metrics.fleetObjective=0.7 -s templates/prometheusrule.yaml | grep -o 'expr: vector.*' | xargs)"
same "the dashboards are JSON" "goodput-fleet goodput-job goodput-queue" "$(render --set metrics.dashboard.enabled=true -s templates/dashboard.yaml | python3 -c '
import json, sys, yaml
print(*(json.loads(text)["uid"] for _, text in sorted(yaml.safe_load(sys.stdin)["data"].items())))')"
same "kept CRD" "helm.sh/resource-policy: keep" "$(render -s templates/crd.yaml | grep -o 'helm.sh/resource-policy: keep' | sort -u)"
same "the CRDs are crds/'s, but for labels and the annotation" "" "$(diff -B <(render -s templates/crd.yaml | sed -e '/^---$/d' -e '/^# Source/d') <(cat crds/*.yaml) |
	grep '^[<>]' | grep -vE '^< +(labels:|annotations:|app\.kubernetes\.io/|helm\.sh/)')"
same "digest instead of tag" "example/goodput@sha256:$(printf '0%.0s' {1..64})" \
	"$(render --set image.repository=example/goodput --set image.digest=sha256:"$(printf '0%.0s' {1..64})" -s templates/deployment.yaml | sed -n 's/^ *image: "\(.*\)"/\1/p')"

# ---- the pod ----
deployment=$(render -s templates/deployment.yaml)
for line in "runAsNonRoot: true" "runAsUser: 65532" "readOnlyRootFilesystem: true" "allowPrivilegeEscalation: false" \
	"type: RuntimeDefault" "- ALL" "path: /healthz" "path: /readyz" "memory: 256Mi" "cpu: 100m" "replicas: 2"; do
	check "the pod has $line" grep -qF -- "$line" <<<"$deployment"
done
same "flags by default" '--leader-elect=true --lease-namespace=$(POD_NAMESPACE) --standby-watches=true --health-bind-address=:8081 --metrics-bind-address=:8443 --page-bind-address=127.0.0.1:8082 --currency=USD --auto-create=off --status-interval=15s --status-qps=20 --max-log-follows=100 --max-log-reads=16 --watch-encoding=protobuf --install-formats=true --v=0' "$(flags)"
same "flags as set" '--leader-elect=false --health-bind-address=:9000 --metrics-bind-address=0 --page-bind-address=0 --currency=USD --documentation-url=https://git.example.com/goodput/blob/main/deploy/docs --auto-create=all --auto-create-format=MaxText --auto-create-windows=600,2592000 --auto-create-ttl-seconds=315360000 --auto-create-namespaces=research,ml --auto-create-labels=team=a,tier=gold --auto-create-keep=20 --watch-namespaces=research,ml --status-interval=1m --status-qps=5 --max-log-follows=7 --max-log-reads=3 --watch-encoding=json --install-formats=true --v=2 --x=y' \
	"$(flags --set 'replicas=1,leaderElection.enabled=false,healthPort=9000,metrics.enabled=false,page.enabled=false,documentationURL=https://git.example.com/goodput/blob/main/deploy/docs,autoCreate=all,autoCreateDefaults.logFormat=MaxText,autoCreateDefaults.windowSeconds={600,2592000},autoCreateDefaults.ttlSecondsAfterFinished=315360000,autoCreateDefaults.namespaces={research,ml},autoCreateDefaults.labels.tier=gold,autoCreateDefaults.labels.team=a,autoCreateDefaults.keepFinished=20,watchNamespaces={research,ml},statusInterval=1m,statusQPS=5,maxLogFollows=7,maxLogReads=3,watchEncoding=json,logLevel=2,extraArgs={--x=y}')"
shared=page.shared.enabled=true,metrics.enabled=false,page.enabled=false
same "the shared page: its flag, its Service, and who asks whose tokens they are" \
	"--shared-page-bind-address=:8444 name: goodput-controller-page resources: [subjectaccessreviews] resources: [tokenreviews]" \
	"$(render --set $shared | sed -nE 's/^[- ]*(--shared-page-.*|name: goodput-controller-page|resources: \[(tokenreviews|subjectaccessreviews)\])$/\1/p' | sort | paste -sd' ')"
same "... its certificate names the Service and the hosts of people" "goodput-controller-page.obs.svc goodput-controller-page.obs.svc.cluster.local goodput.example.com" \
	"$(render -n obs --set $shared,page.shared.hosts={goodput.example.com},metrics.tls.secretName=s,metrics.tls.issuerRef.name=i -s templates/certificate.yaml | grep -oE '[a-z.-]*(-page|example)[a-z.-]*' | LC_ALL=C sort | paste -sd' ')"
same "files are read from a volume" "--log-root=/srv/steps mountPath: /srv/steps claimName: steps" \
	"$(render --set logFiles.volume.persistentVolumeClaim.claimName=steps,logFiles.mountPath=/srv/steps -s templates/deployment.yaml | sed -nE 's/^[- ]*(--log-root=.*|mountPath: .*|claimName: .*)/\1/p' | paste -sd' ')"
same "ledgers are archived on a volume, by one pod at once" "type: Recreate --archive=/srv/archive --archive-memory=64 mountPath: /srv/archive claimName: archive" \
	"$(render --set archive.volume.persistentVolumeClaim.claimName=archive,archive.mountPath=/srv/archive,replicas=1 -s templates/deployment.yaml | sed -nE 's/^[- ]*(--archive.*|mountPath: .*|claimName: .*|type: Recreate)/\1/p' | paste -sd' ')"
same "... or in a bucket, from a volume" "--archive=s3://bucket/a --archive-spool=/srv/archive --archive-endpoint=https://minio.example.com --archive-region=eu-west-3 --archive-ca=/etc/goodput/archive-ca/ca.crt --archive-memory=64 AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY claimName: archive secretName: ca" \
	"$(render --set archive.volume.persistentVolumeClaim.claimName=archive,archive.mountPath=/srv/archive,archive.store.url=s3://bucket/a,archive.store.endpoint=https://minio.example.com,archive.store.region=eu-west-3,archive.store.secretName=keys,archive.store.caSecretName=ca -s templates/deployment.yaml | tr -d '"' | sed -nE 's/^[- ]*(--archive.*|claimName: .*|secretName: ca)/\1/p; s/^ *- name: (AWS_.*)/\1/p' | paste -sd' ')"
same "... without a volume from an emptyDir, also of several replicas" "--archive=gs://bucket emptyDir: {}" \
	"$(render --set archive.store.url=gs://bucket,replicas=2 -s templates/deployment.yaml | tr -d '"' | grep -A1 -E -- '--archive=|name: archive$' | sed -nE 's/^[- ]*(--archive=.*|emptyDir: .*)/\1/p' | paste -sd' ')"
rule='cloudLogging.allow[0].namespace=research,cloudLogging.allow[0].project=p'
same "Cloud Logging is read where a rule says so" "--cloud-logging-allow=research=p/goodput_*" \
	"$(flags --set "$rule,cloudLogging.allow[0].logger=goodput_*" | grep -oE -- '--cloud-logging-allow[^ ]*')"

# ---- wrong values ----
refused "an archive that only one of several replicas has" "archive.volume must not be an emptyDir with several replicas" \
	render --set archive.volume.emptyDir.medium=,replicas=2
refused "an archive's bucket that is none" "at '/archive/store/url'" render --set archive.store.url=http://bucket/
refused "no image, which no public registry holds" "add --set image.repository=REGISTRY/goodput-controller" render --set image.repository=
refused "a rule without a logger" "missing property 'logger'" render --set "$rule"
refused "a rule with a star in the middle" "at '/cloudLogging/allow/0/logger'" render --set "$rule,cloudLogging.allow[0].logger=a*b\,c"
refused "an owner of a bucket in one node pool, which a bucket does not have" "at '/ownerPolicy/0/nodePool'" \
	render --set-json 'ownerPolicy=[{"what":"bucket","name":"Stall","nodePool":"spot","owner":"Tenant"}]'
refused "an owner of Unobserved, which has none" "at '/ownerPolicy/0/name'" \
	render --set-json 'ownerPolicy=[{"what":"bucket","name":"Unobserved","owner":"Tenant"}]'
refused "replicas as a word" "at '/replicas': got string, want integer" render --set-string replicas=two
refused "documentation that is no URL" "documentationURL" render --set documentationURL=advice.md
refused "two replicas without election" "replicas: 2 needs leaderElection.enabled: true" render --set leaderElection.enabled=false
refused "an unknown value" "additional properties 'replica' not allowed" render --set replica=1
refused "an unknown nested value" "additional properties 'podlogs' not allowed" render --set rbac.podlogs=false
refused "an unknown pull policy" "at '/image/pullPolicy': value must be one of 'Always', 'IfNotPresent', 'Never'" render --set image.pullPolicy=Sometimes
refused "a status interval without unit" "at '/statusInterval': got number, want string" render --set statusInterval=15
refused "a status interval of days" "at '/statusInterval': '1d' does not match pattern" render --set statusInterval=1d
refused "a namespace in capitals" "at '/watchNamespaces/0': 'Research' does not match pattern" render --set 'watchNamespaces={Research}'
refused "a namespace twice" "at '/watchNamespaces': items at 0 and 1 are equal" render --set 'watchNamespaces={ml,ml}'
refused "an unknown way to make records" "at '/autoCreate': value must be one of 'off', 'annotated', 'all'" render --set autoCreate=some
refused "a log format that needs a spec" "at '/autoCreateDefaults/logFormat': value must be one of 'Auto', 'Recorder'" render --set autoCreateDefaults.logFormat=Regex
same "the log formats are the CRD's, but for Regex" "" "$(diff <(python3 -c '
import json
print(*json.load(open("helm/goodput-controller/values.schema.json"))["properties"]["autoCreateDefaults"]["properties"]["logFormat"]["enum"])') \
	<(sed -n "s/.*self in \[\('Auto', 'Recorder'.*\), 'Regex'\].*/\1/p" crds/goodput.dev_jobgoodputs.yaml | tr -d ",'"))"
refused "a window of a second" "at '/autoCreateDefaults/windowSeconds/0': minimum: got 1, want 60" render --set 'autoCreateDefaults.windowSeconds={1}'
refused "an objective above 1" "at '/metrics/objective': '1.5' does not match pattern" render --set-string metrics.objective=1.5
refused "an issuer with nowhere to write to" "metrics.tls.issuerRef needs metrics.tls.secretName" render --set metrics.tls.issuerRef.name=x
refused "an issuer without a name" "at '/metrics/tls/issuerRef': properties 'name' required, if 'kind' exists" render --set metrics.tls.secretName=own,metrics.tls.issuerRef.kind=Issuer
refused "a privileged port" "at '/healthPort': minimum: got 80, want 1,024" render --set healthPort=80
refused "too old a Kubernetes" "requires kubeVersion: >=1.32.0-0" "$helm" template goodput "$chart" --kube-version 1.31.0
finish_rendered 40
