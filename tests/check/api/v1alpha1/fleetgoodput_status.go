package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type FleetGoodputStatus struct {
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=8
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// +optional
	ObservedGeneration *NonNegative `json:"observedGeneration,omitempty"`

	// +optional
	Window *WindowSpan `json:"window,omitempty"`

	// +optional
	Jobs *FleetJobs `json:"jobs,omitempty"`

	// +optional
	Goodput *FleetScores `json:"goodput,omitempty"`

	// +optional
	GoodputPPM *FleetScoresPPM `json:"goodputPPM,omitempty"`

	// +optional
	ChipSeconds *FleetChipSeconds `json:"chipSeconds,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=128
	TopBadput *string `json:"topBadput,omitempty"`

	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Waterfall []WaterfallEntry `json:"waterfall,omitempty"`

	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Groups []FleetGroup `json:"groups,omitempty"`

	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=12
	TopLosses []FleetLoss `json:"topLosses,omitempty"`

	// +optional
	// +listType=map
	// +listMapKey=owner
	// +kubebuilder:validation:MaxItems=8
	ByOwner []FleetOwner `json:"byOwner,omitempty"`

	// +optional
	Interruptions *FleetInterruptions `json:"interruptions,omitempty"`

	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	NodePools []NodePoolFailures `json:"nodePools,omitempty"`

	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	SuspectNodes []SuspectNode `json:"suspectNodes,omitempty"`

	// +optional
	Cost *FleetCost `json:"cost,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=262144
	Settled *string `json:"settled,omitempty"`
}

type WindowSpan struct {
	// +optional
	// +kubebuilder:validation:MaxLength=16
	Name *string `json:"name,omitempty"`

	// +optional
	From *metav1.Time `json:"from,omitempty"`

	// +optional
	To *metav1.Time `json:"to,omitempty"`

	// +optional
	Since *metav1.Time `json:"since,omitempty"`

	// +optional
	ResolutionHours *NonNegative `json:"resolutionHours,omitempty"`
}

type FleetJobs struct {
	// +optional
	Counted *NonNegative `json:"counted,omitempty"`

	// +optional
	WithoutSteps *NonNegative `json:"withoutSteps,omitempty"`

	// +optional
	NotCounted *NonNegative `json:"notCounted,omitempty"`

	// +optional
	Spread *NonNegative `json:"spread,omitempty"`
}

type FleetScores struct {
	// +optional
	Scheduling *Percentage `json:"scheduling,omitempty"`

	// +optional
	SchedulingUpperBound *Percentage `json:"schedulingUpperBound,omitempty"`

	// +optional
	Runtime *Percentage `json:"runtime,omitempty"`

	// +optional
	Job *Percentage `json:"job,omitempty"`

	// +optional
	JobUpperBound *Percentage `json:"jobUpperBound,omitempty"`

	// +optional
	Program *Percentage `json:"program,omitempty"`

	// +optional
	Productivity *Percentage `json:"productivity,omitempty"`

	// +optional
	AllScheduling *Percentage `json:"allScheduling,omitempty"`

	// +optional
	AllSchedulingUpperBound *Percentage `json:"allSchedulingUpperBound,omitempty"`

	// +optional
	Evidence *Percentage `json:"evidence,omitempty"`
}

type FleetScoresPPM struct {
	// +optional
	Scheduling *NonNegative `json:"scheduling,omitempty"`

	// +optional
	SchedulingUpperBound *NonNegative `json:"schedulingUpperBound,omitempty"`

	// +optional
	Runtime *NonNegative `json:"runtime,omitempty"`

	// +optional
	Job *NonNegative `json:"job,omitempty"`

	// +optional
	JobUpperBound *NonNegative `json:"jobUpperBound,omitempty"`

	// +optional
	Program *NonNegative `json:"program,omitempty"`

	// +optional
	Productivity *NonNegative `json:"productivity,omitempty"`

	// +optional
	AllScheduling *NonNegative `json:"allScheduling,omitempty"`

	// +optional
	AllSchedulingUpperBound *NonNegative `json:"allSchedulingUpperBound,omitempty"`

	// +optional
	Evidence *NonNegative `json:"evidence,omitempty"`
}

type FleetChipSeconds struct {
	// +optional
	Asked *NonNegative `json:"asked,omitempty"`

	// +optional
	Available *NonNegative `json:"available,omitempty"`

	// +optional
	Unobserved *NonNegative `json:"unobserved,omitempty"`

	// +optional
	Productive *NonNegative `json:"productive,omitempty"`

	// +optional
	Allocated *NonNegative `json:"allocated,omitempty"`

	// +optional
	Capacity *NonNegative `json:"capacity,omitempty"`

	// +optional
	CapacityHours *NonNegative `json:"capacityHours,omitempty"`

	// +optional
	Idle *NonNegative `json:"idle,omitempty"`
}

type WaterfallEntry struct {
	// +required
	// +kubebuilder:validation:MaxLength=128
	Name *string `json:"name,omitempty"`

	// +optional
	Total *bool `json:"total,omitempty"` //nolint:nobools // an entry is a total or a loss

	// +required
	ChipSeconds *int64 `json:"chipSeconds,omitempty"`

	// +optional
	Share *Percentage `json:"share,omitempty"`
}

type FleetGroup struct {
	// +required
	// +kubebuilder:validation:MaxLength=1024
	Name *string `json:"name,omitempty"`

	// +optional
	Jobs *NonNegative `json:"jobs,omitempty"`

	// +optional
	WithoutSteps *NonNegative `json:"withoutSteps,omitempty"`

	// +optional
	Goodput *FleetScores `json:"goodput,omitempty"`

	// +optional
	GoodputPPM *FleetScoresPPM `json:"goodputPPM,omitempty"`

	// +optional
	AskedChipSeconds *NonNegative `json:"askedChipSeconds,omitempty"`

	// +optional
	ProductiveChipSeconds *NonNegative `json:"productiveChipSeconds,omitempty"`

	// +optional
	AllocatedChipSeconds *NonNegative `json:"allocatedChipSeconds,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=128
	TopBadput *string `json:"topBadput,omitempty"`

	// +optional
	Cost *Decimal `json:"cost,omitempty"`

	// +optional
	CostLost *Decimal `json:"costLost,omitempty"`

	// +optional
	Interruptions *NonNegative `json:"interruptions,omitempty"`
}

type FleetLoss struct {
	// +required
	// +kubebuilder:validation:MaxLength=16
	Family *string `json:"family,omitempty"`

	// +required
	// +kubebuilder:validation:MaxLength=128
	Bucket *string `json:"bucket,omitempty"`

	// +required
	ChipSeconds *NonNegative `json:"chipSeconds,omitempty"`

	// +optional
	Share *Percentage `json:"share,omitempty"`

	// +optional
	AllocatedChipSeconds *NonNegative `json:"allocatedChipSeconds,omitempty"`

	// +optional
	Cost *Decimal `json:"cost,omitempty"`

	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=3
	Jobs []JobLoss `json:"jobs,omitempty"`
}

type FleetOwner struct {
	// +required
	// +kubebuilder:validation:MaxLength=32
	Owner *string `json:"owner,omitempty"`

	// +optional
	Interruptions *NonNegative `json:"interruptions,omitempty"`

	// +required
	ChipSeconds *NonNegative `json:"chipSeconds,omitempty"`

	// +optional
	Share *Percentage `json:"share,omitempty"`

	// +optional
	Cost *Decimal `json:"cost,omitempty"`

	// +optional
	// +listType=map
	// +listMapKey=class
	// +kubebuilder:validation:MaxItems=32
	ByClass []OwnedClass `json:"byClass,omitempty"`
}

type JobLoss struct {
	// +required
	// +kubebuilder:validation:MaxLength=520
	Name *string `json:"name,omitempty"`

	// +required
	ChipSeconds *NonNegative `json:"chipSeconds,omitempty"`
}

type FleetInterruptions struct {
	// +optional
	Total *NonNegative `json:"total,omitempty"`

	// +optional
	Failures *NonNegative `json:"failures,omitempty"`

	// +optional
	Per1000NodeDays *Decimal `json:"per1000NodeDays,omitempty"`

	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	ByCause []FleetCause `json:"byCause,omitempty"`

	// +optional
	// +listType=map
	// +listMapKey=class
	// +kubebuilder:validation:MaxItems=32
	ByClass []ClassCount `json:"byClass,omitempty"`

	// +optional
	// +listType=map
	// +listMapKey=node
	// +listMapKey=class
	// +listMapKey=owner
	// +kubebuilder:validation:MaxItems=16
	ByNode []FleetNodeFailures `json:"byNode,omitempty"`

	// +optional
	OtherNodes *FleetOtherNodes `json:"otherNodes,omitempty"`
}

type FleetNodeFailures struct {
	// +required
	// +kubebuilder:validation:MaxLength=253
	Node *string `json:"node,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=253
	NodePool *string `json:"nodePool,omitempty"`

	// +required
	// +kubebuilder:validation:MaxLength=32
	Class *string `json:"class,omitempty"`

	// +required
	// +kubebuilder:validation:MaxLength=32
	Owner *string `json:"owner,omitempty"`

	// +required
	Count *NonNegative `json:"count,omitempty"`

	// +optional
	ChipSeconds *NonNegative `json:"chipSeconds,omitempty"`

	// +optional
	LastTime *metav1.Time `json:"lastTime,omitempty"`
}

type FleetOtherNodes struct {
	// +optional
	Count *NonNegative `json:"count,omitempty"`

	// +optional
	ChipSeconds *NonNegative `json:"chipSeconds,omitempty"`
}

type FleetCause struct {
	// +required
	// +kubebuilder:validation:MaxLength=64
	Cause *string `json:"cause,omitempty"`

	// +required
	Count *NonNegative `json:"count,omitempty"`

	// +optional
	ChipSeconds *NonNegative `json:"chipSeconds,omitempty"`

	// +optional
	Cost *Decimal `json:"cost,omitempty"`
}

type SuspectNode struct {
	// +required
	// +kubebuilder:validation:MaxLength=253
	Name *string `json:"name,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=253
	NodePool *string `json:"nodePool,omitempty"`

	// +optional
	Failures *NonNegative `json:"failures,omitempty"`

	// +optional
	PoolFailures *NonNegative `json:"poolFailures,omitempty"`

	// +optional
	PoolNodes *NonNegative `json:"poolNodes,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=32
	RateRatioAtLeast *string `json:"rateRatioAtLeast,omitempty"`

	// +optional
	ChipSeconds *NonNegative `json:"chipSeconds,omitempty"`

	// +optional
	FirstFailureTime *metav1.Time `json:"firstFailureTime,omitempty"`

	// +optional
	LastFailureTime *metav1.Time `json:"lastFailureTime,omitempty"`
}

type NodePoolFailures struct {
	// +required
	// +kubebuilder:validation:MaxLength=253
	Name *string `json:"name,omitempty"`

	// +optional
	Failures *NonNegative `json:"failures,omitempty"`

	// +optional
	NodeHours *NonNegative `json:"nodeHours,omitempty"`

	// +optional
	MeanTimeBetweenFailuresSeconds *NonNegative `json:"meanTimeBetweenFailuresSeconds,omitempty"`
}

type FleetCost struct {
	// +optional
	// +kubebuilder:validation:MaxLength=3
	Currency *string `json:"currency,omitempty"`

	// +optional
	Allocated *Decimal `json:"allocated,omitempty"`

	// +optional
	Lost *Decimal `json:"lost,omitempty"`

	// +optional
	PricedShare *Percentage `json:"pricedShare,omitempty"`
}
