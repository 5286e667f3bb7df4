package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=steplogformats,singular=steplogformat,shortName=slf,categories=goodput,scope=Cluster
// +kubebuilder:printcolumn:name=Ready,type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name=Patterns,type=integer,JSONPath=`.status.patterns`
// +kubebuilder:printcolumn:name=Examples,type=integer,JSONPath=`.status.examples`
// +kubebuilder:printcolumn:name=Message,type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=`.metadata.creationTimestamp`
type StepLogFormat struct {
	metav1.TypeMeta `json:",inline"`

	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec StepLogFormatSpec `json:"spec,omitzero"`

	// +optional
	Status *StepLogFormatStatus `json:"status,omitempty"`
}

type StepLogFormatSpec struct {
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:XValidation:rule="self.exists(p, p.kind == 'Step' || p.kind == 'StepStart')",message="at least one pattern has to be of kind Step or StepStart: without steps there is no runtime goodput"
	Patterns []LinePattern `json:"patterns,omitempty"`
}

type LinePattern struct {
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name,omitempty"`

	// +required
	Kind LineKind `json:"kind,omitempty"`

	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Pattern string `json:"pattern,omitempty"`

	// +optional
	// +listType=map
	// +listMapKey=group
	// +kubebuilder:validation:MaxItems=8
	Fields []GroupMeaning `json:"fields,omitempty"`

	// +optional
	// +listType=map
	// +listMapKey=line
	// +kubebuilder:validation:MaxItems=16
	Examples []LineExample `json:"examples,omitempty"`
}

// +kubebuilder:validation:Enum=Step;StepStart;CheckpointStart;CheckpointSaved;CheckpointRestoreStart;CheckpointRestored;EvaluationStart;EvaluationEnd;DataStart;DataEnd;JobStart;JobEnd;Phase
type LineKind string

type GroupMeaning struct {
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	Group string `json:"group,omitempty"`

	// +required
	Meaning Meaning `json:"meaning,omitempty"`

	// +optional
	Unit *Unit `json:"unit,omitempty"`
}

// +kubebuilder:validation:Enum=Step;NextStep;Duration;Time;Throughput;Evaluation;CheckpointSave;Name
type Meaning string

// +kubebuilder:validation:Enum=s;ms;us;ns;min;RFC3339;unixSeconds;unixMilliseconds;"TFLOP/s";"GFLOP/s"
type Unit string

type LineExample struct {
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	Line string `json:"line,omitempty"`

	// +optional
	Gives *LineReading `json:"gives,omitempty"`
}

type LineReading struct {
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000000000000
	Step *int64 `json:"step,omitempty"`

	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=31622400000
	Milliseconds *int64 `json:"milliseconds,omitempty"`

	// +optional
	Time *metav1.Time `json:"time,omitempty"`

	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([.][0-9]+)?$')",message=`tflopsPerDevice must be a decimal number in quotes, such as "180.5"`
	TflopsPerDevice *string `json:"tflopsPerDevice,omitempty"`

	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name *string `json:"name,omitempty"`
}

type StepLogFormatStatus struct {
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=8
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// +optional
	ObservedGeneration *NonNegative `json:"observedGeneration,omitempty"`

	// +optional
	Patterns *NonNegative `json:"patterns,omitempty"`

	// +optional
	Examples *NonNegative `json:"examples,omitempty"`
}
