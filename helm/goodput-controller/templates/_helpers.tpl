{{/* Name of all objects. Not made from the release's name: one controller per cluster is the rule, and its Lease and
     field manager have this name too. */}}
{{- define "goodput.name" -}}
{{- default "goodput-controller" .Values.fullnameOverride -}}
{{- end -}}

{{- define "goodput.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "goodput.name" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "goodput.selectorLabels" -}}
app.kubernetes.io/name: goodput-controller
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "goodput.labels" -}}
{{ include "goodput.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name (.Chart.Version | replace "+" "_") }}
{{- end -}}

{{- define "goodput.image" -}}
{{- $missing := "image.repository is not set: no public registry holds the image. Build it (docker build -f deploy/Dockerfile -t REGISTRY/goodput-controller:VERSION .), push it, and add --set image.repository=REGISTRY/goodput-controller" -}}
{{- $repository := required $missing .Values.image.repository -}}
{{- if .Values.image.digest -}}
{{ $repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ $repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end -}}

{{/* The Secret with the certificate of /metrics; empty: one made at the start. */}}
{{- define "goodput.certificate" -}}
{{- with .Values.metrics.tls -}}
{{- if and .issuerRef (not .secretName) -}}
{{- fail "metrics.tls.issuerRef needs metrics.tls.secretName: the Secret that cert-manager is to write" -}}
{{- end -}}
{{- if .secretName }}{{ .secretName }}{{ end -}}
{{- end -}}
{{- end -}}

{{- define "goodput.caSecret" -}}
{{- default .Values.metrics.tls.secretName .Values.metrics.tls.caSecretName -}}
{{- end -}}

{{- define "goodput.metricsHost" -}}
{{ include "goodput.name" . }}-metrics.{{ .Release.Namespace }}.svc
{{- end -}}

{{/* tlsConfig of the Prometheus operator's monitors. */}}
{{- define "goodput.tlsConfig" -}}
{{- if include "goodput.certificate" . -}}
serverName: {{ include "goodput.metricsHost" . }}
ca:
  secret:
    name: {{ include "goodput.caSecret" . }}
    key: {{ .Values.metrics.tls.caKey }}
{{- else -}}
# The certificate is made at each start; it hides the token, it does not say who the server is.
insecureSkipVerify: true
{{- end -}}
{{- end -}}

{{/* The groups of files/rules.yaml with this release's objectives and links; without "all" only the hang alert, and without
     metrics.allJobSeries none that needs the series it adds. */}}
{{- define "goodput.ruleGroups" -}}
{{- $metrics := .root.Values.metrics -}}
{{- $text := .root.Files.Get "files/rules.yaml" | replace "vector(0.8)" (printf "vector(%s)" $metrics.objective) | replace "vector(0.6)" (printf "vector(%s)" $metrics.fleetObjective) -}}
{{- with .root.Values.documentationURL -}}
{{- $text = $text | replace "runbook_url: deploy/docs" (printf "runbook_url: %s" (trimSuffix "/" .)) -}}
{{- end -}}
{{- $all := .all -}}
{{- $groups := list -}}
{{- range ($text | fromYaml).groups -}}
{{- if or (eq .name "goodput-hang") (and $all (or $metrics.allJobSeries (ne .name "goodput-all-job-series"))) -}}
{{- $groups = append $groups . -}}
{{- end -}}
{{- end -}}
{{- toYaml $groups -}}
{{- end -}}

{{- define "goodput.subject" -}}
- kind: ServiceAccount
  name: {{ include "goodput.serviceAccount" . }}
  namespace: {{ .Release.Namespace }}
{{- end -}}

{{/* What the controller does in each namespace with training jobs; the reasons are in deploy/docs/reference/permissions.md. */}}
{{- define "goodput.workRules" -}}
- apiGroups: [goodput.dev]
  resources: [jobgoodputs]
  verbs: [get, list, watch{{ if ne .Values.autoCreate "off" }}, create{{ end }}{{ if .Values.rbac.deleteFinished }}, delete{{ end }}]
- apiGroups: [goodput.dev]
  resources: [jobgoodputs/status]
  verbs: [update, patch]
- apiGroups: [jobset.x-k8s.io]
  resources: [jobsets]
  verbs: [get, list, watch]
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, list, watch]
- apiGroups: [ray.io]
  resources: [rayjobs, rayclusters]
  verbs: [get, list, watch]
- apiGroups: [leaderworkerset.x-k8s.io]
  resources: [leaderworkersets]
  verbs: [get, list, watch]
- apiGroups: [kubeflow.org]
  resources: [pytorchjobs]
  verbs: [get, list, watch]
- apiGroups: [kueue.x-k8s.io]
  resources: [workloads]
  verbs: [get, list, watch]
- apiGroups: [resource.k8s.io]
  resources: [resourceclaims, resourceclaimtemplates]
  verbs: [get, list, watch]
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch]
- apiGroups: [""]
  resources: [events]
  verbs: [get, list, watch, create, patch]
{{- if .Values.rbac.podLogs }}
- apiGroups: [""]
  resources: [pods/log]
  verbs: [get]
{{- end }}
{{- end -}}

{{/* What the controller needs at most for so many JobGoodputs, in MiB: deploy/docs/how-to/scale.md. */}}
{{- define "goodput.memoryNeededMiB" -}}
{{- addf 12 (ternary 48 0 .ingest) (divf .jobs 18) | ceil -}}
{{- end -}}

{{/* resources.limits.memory in MiB, 0 without a limit. */}}
{{- define "goodput.memoryLimitMiB" -}}
{{- $text := toString (dig "limits" "memory" "" .Values.resources) -}}
{{- $mib := 1048576.0 -}}
{{- $bytes := dict "" 1.0 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "Ki" 1024.0 "Mi" $mib "Gi" 1073741824.0 "Ti" 1099511627776.0 -}}
{{- $number := regexFind "^[0-9.]+" $text -}}
{{- if $number -}}
{{- divf (mulf (float64 $number) (get $bytes (trimPrefix $number $text) | default 0.0)) $mib -}}
{{- else -}}
0
{{- end -}}
{{- end -}}
