package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=jobgoodputs,singular=jobgoodput,shortName=jgp,categories=goodput
// +kubebuilder:selectablefield:JSONPath=`.spec.targetRef.name`
// +kubebuilder:selectablefield:JSONPath=`.spec.targetRef.kind`
// +kubebuilder:selectablefield:JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name=Phase,type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name=Scheduling,type=string,JSONPath=`.status.goodput.scheduling`
// +kubebuilder:printcolumn:name=Runtime,type=string,JSONPath=`.status.goodput.runtime`
// +kubebuilder:printcolumn:name=Goodput,type=string,JSONPath=`.status.goodput.job`
// +kubebuilder:printcolumn:name=Top-Badput,type=string,JSONPath=`.status.topBadput`
// +kubebuilder:printcolumn:name=Interruptions,type=integer,JSONPath=`.status.interruptions.total`
// +kubebuilder:printcolumn:name=Step,type=integer,JSONPath=`.status.steps.last`
// +kubebuilder:printcolumn:name=Ready,type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name=Target,type=string,JSONPath=`.spec.targetRef.name`,priority=1
// +kubebuilder:printcolumn:name=Productivity,type=string,JSONPath=`.status.goodput.productivity`,priority=1
// +kubebuilder:printcolumn:name=Evidence,type=string,JSONPath=`.status.goodput.evidence`,priority=1
// +kubebuilder:printcolumn:name=Queue,type=string,JSONPath=`.status.target.queue`,priority=1
// +kubebuilder:printcolumn:name=Chips,type=integer,JSONPath=`.status.target.chips`,priority=1
// +kubebuilder:printcolumn:name=Owner,type=string,JSONPath=`.status.topOwner`,priority=1
// +kubebuilder:printcolumn:name=Waiting-For,type=string,JSONPath=`.status.availability.message`,priority=1
type JobGoodput struct {
	metav1.TypeMeta `json:",inline"`

	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec JobGoodputSpec `json:"spec,omitzero"`

	// +optional
	Status *JobGoodputStatus `json:"status,omitempty"`
}

// +kubebuilder:validation:XValidation:rule="self.targetRef.kind != 'Job' || !has(self.requiredReplicatedJobs)",message="a batch/v1 Job has no replicated jobs: leave requiredReplicatedJobs out, it is for a JobSet",fieldPath=".requiredReplicatedJobs"
// +kubebuilder:validation:XValidation:rule="self.targetRef.kind != 'Job' || !has(self.stepLog) || !has(self.stepLog.podLog) || !has(self.stepLog.podLog.pod) || !(has(self.stepLog.podLog.pod.replicatedJob) || has(self.stepLog.podLog.pod.jobIndex))",message="a pod of a batch/v1 Job is chosen by completionIndex alone: leave replicatedJob and jobIndex out, they are for a JobSet",fieldPath=".stepLog"
type JobGoodputSpec struct {
	// +required
	TargetRef TargetRef `json:"targetRef,omitzero"`

	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	RequiredReplicatedJobs []string `json:"requiredReplicatedJobs,omitempty"`

	// +optional
	// +default={"source": "PodLog", "format": "Auto"}
	StepLog *StepLog `json:"stepLog,omitempty"`

	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400000
	IdealStepMilliseconds *int64 `json:"idealStepMilliseconds,omitempty"`

	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=4
	// +kubebuilder:validation:items:Minimum=60
	// +kubebuilder:validation:items:Maximum=2592000
	WindowSeconds []int64 `json:"windowSeconds,omitempty"`

	// +optional
	Cost *Price `json:"cost,omitempty"`

	// +optional
	Program *Program `json:"program,omitempty"`

	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000000
	TotalSteps *int64 `json:"totalSteps,omitempty"`

	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=604800
	HangAfterSeconds *int64 `json:"hangAfterSeconds,omitempty"`

	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=315360000
	TtlSecondsAfterFinished *int64 `json:"ttlSecondsAfterFinished,omitempty"`
}

// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="targetRef cannot be changed: make another JobGoodput for another target"
// +kubebuilder:validation:XValidation:rule="(self.apiGroup + ' ' + self.kind) in ['jobset.x-k8s.io JobSet', 'batch Job', 'trainer.kubeflow.org TrainJob', 'ray.io RayJob', 'leaderworkerset.x-k8s.io LeaderWorkerSet', 'kueue.x-k8s.io Workload', 'kubeflow.org PyTorchJob']",message="this kind of target is not supported: use jobset.x-k8s.io JobSet, batch Job, trainer.kubeflow.org TrainJob, ray.io RayJob, leaderworkerset.x-k8s.io LeaderWorkerSet, kueue.x-k8s.io Workload or kubeflow.org PyTorchJob",messageExpression="'kind ' + self.kind + ' with apiGroup ' + self.apiGroup + ' is not supported as a target: use jobset.x-k8s.io JobSet, batch Job, trainer.kubeflow.org TrainJob, ray.io RayJob, leaderworkerset.x-k8s.io LeaderWorkerSet, kueue.x-k8s.io Workload or kubeflow.org PyTorchJob (a group has no version)'"
// +kubebuilder:validation:XValidation:rule="self.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="name must be the name of the job: lower case letters, digits, '-' and '.', beginning and ending with a letter or digit",fieldPath=".name"
type TargetRef struct {
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	ApiGroup string `json:"apiGroup,omitempty"`

	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	Kind string `json:"kind,omitempty"`

	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
}

// +kubebuilder:validation:XValidation:rule="self.source == 'PodLog' || !has(self.podLog)",message="podLog is read only with source: PodLog; remove podLog or set stepLog.source to PodLog",fieldPath=".podLog"
// +kubebuilder:validation:XValidation:rule="self.source == 'CloudLogging' || !has(self.cloudLogging)",message="cloudLogging is read only with source: CloudLogging; remove cloudLogging or set stepLog.source to CloudLogging",fieldPath=".cloudLogging"
// +kubebuilder:validation:XValidation:rule="self.source == 'Push' || !has(self.push)",message="push is read only with source: Push; remove push or set stepLog.source to Push",fieldPath=".push"
// +kubebuilder:validation:XValidation:rule="self.source == 'File' || !has(self.file)",message="file is read only with source: File; remove file or set stepLog.source to File",fieldPath=".file"
// +kubebuilder:validation:XValidation:rule="self.source != 'CloudLogging' || has(self.cloudLogging)",message="source CloudLogging needs stepLog.cloudLogging with project and logger"
// +kubebuilder:validation:XValidation:rule="self.source != 'File' || has(self.file)",message="source File needs stepLog.file with the path of the log"
// +kubebuilder:validation:XValidation:rule="self.format != 'Regex' || has(self.regex)",message="format Regex needs stepLog.regex with a pattern for step"
// +kubebuilder:validation:XValidation:rule="self.format == 'Regex' || !has(self.regex)",message="regex is used only with format: Regex; remove regex or set stepLog.format to Regex",fieldPath=".regex"
type StepLog struct {
	// +optional
	// +default="PodLog"
	Source *StepLogSource `json:"source,omitempty"`

	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self in ['Auto', 'Recorder', 'MaxText', 'Megatron', 'NeMo', 'TorchTitan', 'DeepSpeed', 'HuggingFace', 'Keras', 'Lightning', 'Generic', 'Regex'] || self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="format is Auto, Recorder, MaxText, Megatron, NeMo, TorchTitan, DeepSpeed, HuggingFace, Keras, Lightning, Generic, Regex or the name of a StepLogFormat (in lower case)"
	// +default="Auto"
	Format *string `json:"format,omitempty"`

	// +optional
	PodLog *PodLog `json:"podLog,omitempty"`

	// +optional
	Regex *StepLogPatterns `json:"regex,omitempty"`

	// +optional
	CloudLogging *CloudLogging `json:"cloudLogging,omitempty"`

	// +optional
	Push *Push `json:"push,omitempty"`

	// +optional
	File *File `json:"file,omitempty"`
}

// +kubebuilder:validation:Enum=PodLog;CloudLogging;File;Push;None
type StepLogSource string

type PodLog struct {
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Container *string `json:"container,omitempty"`

	// +optional
	Pod *PodChoice `json:"pod,omitempty"`
}

type PodChoice struct {
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	ReplicatedJob *string `json:"replicatedJob,omitempty"`

	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000
	JobIndex *int64 `json:"jobIndex,omitempty"`

	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000
	CompletionIndex *int64 `json:"completionIndex,omitempty"`
}

// +kubebuilder:validation:XValidation:rule="self.step.contains('(?<step>') || self.step.contains('(?P<step>')",message="regex.step must have a named group for the step number, for example 'step=(?<step>[0-9]+)'",fieldPath=".step"
type StepLogPatterns struct {
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Step string `json:"step,omitempty"`

	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	CheckpointStart *string `json:"checkpointStart,omitempty"`

	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	CheckpointSaved *string `json:"checkpointSaved,omitempty"`

	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	CheckpointRestored *string `json:"checkpointRestored,omitempty"`
}

type CloudLogging struct {
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Project string `json:"project,omitempty"`

	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Logger string `json:"logger,omitempty"`

	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	JobName *string `json:"jobName,omitempty"`
}

type Push struct {
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	JobName *string `json:"jobName,omitempty"`
}

type File struct {
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="!self.startsWith('/') && !self.split('/').exists(part, part == '..')",message="path lies below the controller's log root: it must not begin with '/' or contain '..'"
	Path string `json:"path,omitempty"`
}

type Price struct {
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=15
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]{1,6})?|1000000)$')",message=`pricePerChipHour must be a decimal number in quotes from 0 to 1000000, such as "2.5"`
	PricePerChipHour *string `json:"pricePerChipHour,omitempty"`

	// +optional
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=3
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Z]{3}$')",message="currency must be a code of three capital letters (ISO 4217), such as USD"
	Currency *string `json:"currency,omitempty"`
}

type Program struct {
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000
	PeakGFLOPSPerChip *int64 `json:"peakGFLOPSPerChip,omitempty"`

	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	DevicesPerChip *int64 `json:"devicesPerChip,omitempty"`

	// +optional
	DataType *DataType `json:"dataType,omitempty"`

	// +optional
	Quantized *bool `json:"quantized,omitempty"` //nolint:nobools // operations count as quantized or they do not; which format is dataType

	// +optional
	Model *Model `json:"model,omitempty"`
}

// +kubebuilder:validation:Enum=BF16;INT8;FP8
type DataType string

// +kubebuilder:validation:XValidation:rule="has(self.tokensPerStep) != has(self.tokensPerSecond)",message="give tokensPerStep or tokensPerSecond, and not both: FLOPs per token alone say nothing of a step"
// +kubebuilder:validation:XValidation:rule="has(self.parameters) || [has(self.width), has(self.mlpWidth), has(self.vocabulary), has(self.layers), has(self.heads), has(self.headDim)].all(given, given)",message="give parameters, or all that they follow from: layers, heads, headDim, width, mlpWidth and vocabulary"
// +kubebuilder:validation:XValidation:rule="[has(self.layers), has(self.heads), has(self.headDim), has(self.sequenceLength)].all(given, given) || [has(self.layers), has(self.heads), has(self.headDim), has(self.sequenceLength)].all(given, !given)",message="layers, heads, headDim and sequenceLength describe the attention together: give all four or none of them"
type Model struct {
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^[1-9][0-9]*([.][0-9]+)?([eE][+]?[0-9]{1,2})?$')",message=`parameters must be a positive decimal number in quotes, such as "70e9", "1.5e12" or "70000000000"`
	Parameters *string `json:"parameters,omitempty"`

	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	Layers *int64 `json:"layers,omitempty"`

	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	Heads *int64 `json:"heads,omitempty"`

	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	HeadDim *int64 `json:"headDim,omitempty"`

	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000
	SequenceLength *int64 `json:"sequenceLength,omitempty"`

	// +optional
	Attention *AttentionCount `json:"attention,omitempty"`

	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000000
	TokensPerStep *int64 `json:"tokensPerStep,omitempty"`

	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000000
	TokensPerSecond *int64 `json:"tokensPerSecond,omitempty"`

	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000000
	Width *int64 `json:"width,omitempty"`

	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	KvHeads *int64 `json:"kvHeads,omitempty"`

	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000000
	MlpWidth *int64 `json:"mlpWidth,omitempty"`

	// +optional
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=3
	MlpMatrices *int64 `json:"mlpMatrices,omitempty"`

	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000
	Vocabulary *int64 `json:"vocabulary,omitempty"`
}

// +kubebuilder:validation:Enum=Full;Causal
type AttentionCount string
