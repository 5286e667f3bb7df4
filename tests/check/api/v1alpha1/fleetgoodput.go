package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=fleetgoodputs,singular=fleetgoodput,shortName=fgp,categories=goodput,scope=Cluster
// +kubebuilder:printcolumn:name=Window,type=string,JSONPath=`.status.window.name`
// +kubebuilder:printcolumn:name=Jobs,type=integer,JSONPath=`.status.jobs.counted`
// +kubebuilder:printcolumn:name=Scheduling,type=string,JSONPath=`.status.goodput.scheduling`
// +kubebuilder:printcolumn:name=Runtime,type=string,JSONPath=`.status.goodput.runtime`
// +kubebuilder:printcolumn:name=Goodput,type=string,JSONPath=`.status.goodput.job`
// +kubebuilder:printcolumn:name=Program,type=string,JSONPath=`.status.goodput.program`
// +kubebuilder:printcolumn:name=MPG,type=string,JSONPath=`.status.goodput.productivity`
// +kubebuilder:printcolumn:name=Top-Badput,type=string,JSONPath=`.status.topBadput`
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name=Interruptions,type=integer,JSONPath=`.status.interruptions.total`,priority=1
// +kubebuilder:printcolumn:name=Per-1000-Node-Days,type=string,JSONPath=`.status.interruptions.per1000NodeDays`,priority=1
// +kubebuilder:printcolumn:name=Not-Counted,type=integer,JSONPath=`.status.jobs.notCounted`,priority=1
// +kubebuilder:printcolumn:name=Ready,type=string,JSONPath=`.status.conditions[?(@.type=='Ready')].reason`,priority=1
type FleetGoodput struct {
	metav1.TypeMeta `json:",inline"`

	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec *FleetGoodputSpec `json:"spec,omitempty"`

	// +optional
	Status *FleetGoodputStatus `json:"status,omitempty"`
}

type FleetGoodputSpec struct {
	// +optional
	Selector *JobSelector `json:"selector,omitempty"`

	// +optional
	Capacity *Capacity `json:"capacity,omitempty"`

	// +optional
	// +default={"rolling": "7d"}
	Window *FleetWindow `json:"window,omitempty"`

	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=3
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=323
	// +kubebuilder:validation:items:XValidation:rule="self in ['queue', 'clusterQueue', 'namespace', 'accelerator', 'job'] || self.matches('^label:[A-Za-z0-9][-A-Za-z0-9_./]*$')",message="groupBy takes queue, clusterQueue, namespace, accelerator, job, or label:KEY with the key of a label"
	GroupBy []string `json:"groupBy,omitempty"`
}

type JobSelector struct {
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	Namespaces []string `json:"namespaces,omitempty"`

	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	LocalQueues []string `json:"localQueues,omitempty"`

	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	ClusterQueues []string `json:"clusterQueues,omitempty"`

	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	PriorityClasses []string `json:"priorityClasses,omitempty"`

	// +optional
	LabelSelector *LabelSelector `json:"labelSelector,omitempty"`
}

type LabelSelector struct {
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	MatchLabels map[string]LabelValue `json:"matchLabels,omitempty"`

	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	MatchExpressions []LabelRequirement `json:"matchExpressions,omitempty"`
}

// +kubebuilder:validation:XValidation:rule="self.operator in ['In', 'NotIn'] ? has(self.values) && size(self.values) > 0 : !has(self.values) || size(self.values) == 0",message="operators In and NotIn need values, Exists and DoesNotExist must have none"
type LabelRequirement struct {
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=317
	Key string `json:"key,omitempty"`

	// +required
	Operator LabelOperator `json:"operator,omitempty"`

	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=63
	Values []string `json:"values,omitempty"`
}

// +kubebuilder:validation:Enum=In;NotIn;Exists;DoesNotExist
type LabelOperator string

type Capacity struct {
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	NodeSelector map[string]LabelValue `json:"nodeSelector,omitempty"`

	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=64
	Accelerators []string `json:"accelerators,omitempty"`
}

// +kubebuilder:validation:XValidation:rule="has(self.rolling) != has(self.calendar)",message="window is either rolling (such as 7d or 12h) or calendar (Day, Week or Month): give one of them"
type FleetWindow struct {
	// +optional
	// +kubebuilder:validation:MaxLength=5
	// +kubebuilder:validation:XValidation:rule="self.matches('^([1-9][0-9]?|[1-6][0-9][0-9]|7[0-3][0-9]|74[0-4])h$') || self.matches('^([1-9]|[12][0-9]|3[01])d$')",message="a rolling window is 1h to 744h or 1d to 31d, such as 12h or 7d"
	Rolling *string `json:"rolling,omitempty"`

	// +optional
	Calendar *CalendarWindow `json:"calendar,omitempty"`
}

// +kubebuilder:validation:Enum=Day;Week;Month
type CalendarWindow string
