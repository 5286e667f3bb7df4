package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type JobGoodputStatus struct {
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// +optional
	ObservedGeneration *NonNegative `json:"observedGeneration,omitempty"`

	// +optional
	Target *Target `json:"target,omitempty"`

	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^[A-Z][A-Za-z0-9]*$`
	Phase *string `json:"phase,omitempty"` //nolint:nophase // one word for people and for columns; programs read the conditions

	// +optional
	PhaseSince *metav1.Time `json:"phaseSince,omitempty"` //nolint:nophase // belongs to phase

	// +optional
	Availability *Availability `json:"availability,omitempty"`

	// +optional
	Goodput *Scores `json:"goodput,omitempty"`

	// +optional
	GoodputPPM *ScoresPPM `json:"goodputPPM,omitempty"`

	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	OtherDefinitions []OtherDefinition `json:"otherDefinitions,omitempty"`

	// +optional
	Time *Times `json:"time,omitempty"`

	// +optional
	// +listType=map
	// +listMapKey=family
	// +listMapKey=bucket
	// +kubebuilder:validation:MaxItems=64
	Badput []BadputBucket `json:"badput,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=128
	TopBadput *string `json:"topBadput,omitempty"`

	// +optional
	// +listType=map
	// +listMapKey=owner
	// +kubebuilder:validation:MaxItems=8
	ByOwner []OwnedTime `json:"byOwner,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=32
	TopOwner *string `json:"topOwner,omitempty"`

	// +optional
	Interruptions *Interruptions `json:"interruptions,omitempty"`

	// +optional
	// +listType=map
	// +listMapKey=number
	// +kubebuilder:validation:MaxItems=16
	Executions []Execution `json:"executions,omitempty"`

	// +optional
	Steps *Steps `json:"steps,omitempty"`

	// +optional
	// +listType=map
	// +listMapKey=windowSeconds
	// +kubebuilder:validation:MaxItems=4
	Windows []WindowScores `json:"windows,omitempty"`

	// +optional
	AcceleratorHours *AcceleratorHours `json:"acceleratorHours,omitempty"`

	// +optional
	Cost *Cost `json:"cost,omitempty"`

	// +optional
	Program *ProgramScores `json:"program,omitempty"`

	// +optional
	Forecast *Forecast `json:"forecast,omitempty"`

	// +optional
	// +listType=map
	// +listMapKey=kind
	// +kubebuilder:validation:MaxItems=5
	Advice []Advice `json:"advice,omitempty"`

	// +optional
	// +listType=map
	// +listMapKey=uid
	// +kubebuilder:validation:MaxItems=4
	Previous []PreviousTarget `json:"previous,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=32768
	Checkpoint *string `json:"checkpoint,omitempty"`
}

type Target struct {
	// +optional
	// +kubebuilder:validation:MaxLength=64
	UID *string `json:"uid,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=128
	ApiVersion *string `json:"apiVersion,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=64
	Kind *string `json:"kind,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=253
	Name *string `json:"name,omitempty"`

	// +optional
	CreationTime *metav1.Time `json:"creationTime,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=253
	Queue *string `json:"queue,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=253
	ClusterQueue *string `json:"clusterQueue,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=253
	PriorityClass *string `json:"priorityClass,omitempty"`

	// +optional
	Chips *NonNegative `json:"chips,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=64
	Accelerator *string `json:"accelerator,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=253
	LogPod *string `json:"logPod,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=63
	LogContainer *string `json:"logContainer,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=63
	LogFormat *string `json:"logFormat,omitempty"`
}

type Availability struct {
	// +optional
	Required *NonNegative `json:"required,omitempty"`

	// +optional
	Available *NonNegative `json:"available,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Message *string `json:"message,omitempty"`
}

type Scores struct {
	// +optional
	Scheduling *Percentage `json:"scheduling,omitempty"`

	// +optional
	Runtime *Percentage `json:"runtime,omitempty"`

	// +optional
	Job *Percentage `json:"job,omitempty"`

	// +optional
	Program *Percentage `json:"program,omitempty"`

	// +optional
	Productivity *Percentage `json:"productivity,omitempty"`

	// +optional
	RuntimeUpperBound *Percentage `json:"runtimeUpperBound,omitempty"`

	// +optional
	SchedulingUpperBound *Percentage `json:"schedulingUpperBound,omitempty"`

	// +optional
	JobUpperBound *Percentage `json:"jobUpperBound,omitempty"`

	// +optional
	Evidence *Percentage `json:"evidence,omitempty"`
}

type ScoresPPM struct {
	// +optional
	Scheduling *NonNegative `json:"scheduling,omitempty"`

	// +optional
	Runtime *NonNegative `json:"runtime,omitempty"`

	// +optional
	Job *NonNegative `json:"job,omitempty"`

	// +optional
	Program *NonNegative `json:"program,omitempty"`

	// +optional
	Productivity *NonNegative `json:"productivity,omitempty"`

	// +optional
	RuntimeUpperBound *NonNegative `json:"runtimeUpperBound,omitempty"`

	// +optional
	SchedulingUpperBound *NonNegative `json:"schedulingUpperBound,omitempty"`

	// +optional
	JobUpperBound *NonNegative `json:"jobUpperBound,omitempty"`

	// +optional
	Evidence *NonNegative `json:"evidence,omitempty"`
}

type OtherDefinition struct {
	// +required
	// +kubebuilder:validation:MaxLength=63
	Name *string `json:"name,omitempty"`

	// +optional
	Value *Percentage `json:"value,omitempty"`

	// +optional
	MeanSeconds *NonNegative `json:"meanSeconds,omitempty"`

	// +optional
	NumeratorMilliseconds *NonNegative `json:"numeratorMilliseconds,omitempty"`

	// +optional
	DenominatorMilliseconds *NonNegative `json:"denominatorMilliseconds,omitempty"`

	// +optional
	DenominatorCount *NonNegative `json:"denominatorCount,omitempty"`
}

type Times struct {
	// +optional
	Start *metav1.Time `json:"start,omitempty"`

	// +optional
	End *metav1.Time `json:"end,omitempty"`

	// +optional
	ObservedThrough *metav1.Time `json:"observedThrough,omitempty"`

	// +optional
	WallMilliseconds *NonNegative `json:"wallMilliseconds,omitempty"`

	// +optional
	AvailableMilliseconds *NonNegative `json:"availableMilliseconds,omitempty"`

	// +optional
	ProductiveMilliseconds *NonNegative `json:"productiveMilliseconds,omitempty"`

	// +optional
	ProvisionalMilliseconds *NonNegative `json:"provisionalMilliseconds,omitempty"`
}

type BadputBucket struct {
	// +required
	// +kubebuilder:validation:MaxLength=128
	Bucket *string `json:"bucket,omitempty"`

	// +required
	Family BadputFamily `json:"family,omitempty"`

	// +required
	Milliseconds *NonNegative `json:"milliseconds,omitempty"`

	// +optional
	Share *Percentage `json:"share,omitempty"`

	// +optional
	Count *NonNegative `json:"count,omitempty"`

	// +optional
	Basis *Basis `json:"basis,omitempty"`

	// +optional
	ChipSeconds *NonNegative `json:"chipSeconds,omitempty"`

	// +optional
	Cost *Decimal `json:"cost,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=32
	Owner *string `json:"owner,omitempty"`

	// +optional
	InterruptionMilliseconds *NonNegative `json:"interruptionMilliseconds,omitempty"`

	// +optional
	InterruptionChipSeconds *NonNegative `json:"interruptionChipSeconds,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Evidence *string `json:"evidence,omitempty"`
}

type OwnedTime struct {
	// +required
	// +kubebuilder:validation:MaxLength=32
	Owner *string `json:"owner,omitempty"`

	// +required
	Milliseconds *NonNegative `json:"milliseconds,omitempty"`

	// +optional
	Share *Percentage `json:"share,omitempty"`

	// +optional
	Interruptions *NonNegative `json:"interruptions,omitempty"`

	// +optional
	ChipSeconds *NonNegative `json:"chipSeconds,omitempty"`

	// +optional
	Cost *Decimal `json:"cost,omitempty"`

	// +optional
	// +listType=map
	// +listMapKey=class
	// +kubebuilder:validation:MaxItems=32
	ByClass []OwnedClass `json:"byClass,omitempty"`
}

type OwnedClass struct {
	// +required
	// +kubebuilder:validation:MaxLength=32
	Class *string `json:"class,omitempty"`

	// +required
	ChipSeconds *NonNegative `json:"chipSeconds,omitempty"`
}

// +kubebuilder:validation:Enum=Scheduling;Runtime
type BadputFamily string

// +kubebuilder:validation:Enum=Observed;Derived;Assumed
type Basis string

type Interruptions struct {
	// +optional
	Total *NonNegative `json:"total,omitempty"`

	// +optional
	Excluded *NonNegative `json:"excluded,omitempty"`

	// +optional
	OnlyCounted *NonNegative `json:"onlyCounted,omitempty"`

	// +optional
	// +listType=map
	// +listMapKey=cause
	// +kubebuilder:validation:MaxItems=32
	ByCause []InterruptionCause `json:"byCause,omitempty"`

	// +optional
	// +listType=map
	// +listMapKey=class
	// +kubebuilder:validation:MaxItems=32
	ByClass []ClassCount `json:"byClass,omitempty"`

	// +optional
	MeanTimeBetweenSeconds *NonNegative `json:"meanTimeBetweenSeconds,omitempty"`

	// +optional
	MeanTimeToRecoverSeconds *NonNegative `json:"meanTimeToRecoverSeconds,omitempty"`
}

type InterruptionCause struct {
	// +required
	// +kubebuilder:validation:MaxLength=128
	Cause *string `json:"cause,omitempty"`

	// +required
	Count *NonNegative `json:"count,omitempty"`

	// +optional
	ChipSeconds *NonNegative `json:"chipSeconds,omitempty"`

	// +optional
	Cost *Decimal `json:"cost,omitempty"`
}

type NodeEvidence struct {
	// +required
	// +kubebuilder:validation:MaxLength=253
	Node *string `json:"node,omitempty"`

	// +required
	// +kubebuilder:validation:MaxLength=64
	Signal *string `json:"signal,omitempty"`

	// +required
	// +kubebuilder:validation:MaxLength=32
	Role *string `json:"role,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=32
	Class *string `json:"class,omitempty"`

	// +optional
	Time *metav1.Time `json:"time,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=256
	Message *string `json:"message,omitempty"`
}

type RootCause struct {
	// +required
	// +kubebuilder:validation:MaxLength=32
	Class *string `json:"class,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=64
	Reason *string `json:"reason,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=16
	Owner *string `json:"owner,omitempty"`

	// +required
	// +kubebuilder:validation:MaxLength=16
	Basis *string `json:"basis,omitempty"`

	// +required
	SymptomOnly *bool `json:"symptomOnly,omitempty"` //nolint:nobools // yes or no

	// +optional
	// +kubebuilder:validation:MaxLength=253
	ReplicatedJob *string `json:"replicatedJob,omitempty"`

	// +optional
	JobIndex *NonNegative `json:"jobIndex,omitempty"`

	// +optional
	CompletionIndex *NonNegative `json:"completionIndex,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=253
	Container *string `json:"container,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=253
	Node *string `json:"node,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=320
	Line *string `json:"line,omitempty"`

	// +optional
	Time *metav1.Time `json:"time,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=128
	Frame *string `json:"frame,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=64
	WaitsFor *string `json:"waitsFor,omitempty"`

	// +optional
	Followers *NonNegative `json:"followers,omitempty"`

	// +optional
	Unread *NonNegative `json:"unread,omitempty"`
}

type ClassCount struct {
	// +required
	// +kubebuilder:validation:MaxLength=32
	Class *string `json:"class,omitempty"`

	// +required
	Count *NonNegative `json:"count,omitempty"`
}

type Execution struct {
	// +required
	Number *NonNegative `json:"number,omitempty"`

	// +optional
	Start *metav1.Time `json:"start,omitempty"`

	// +optional
	AvailableAt *metav1.Time `json:"availableAt,omitempty"`

	// +optional
	FirstStepAt *metav1.Time `json:"firstStepAt,omitempty"`

	// +optional
	End *metav1.Time `json:"end,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=128
	Cause *string `json:"cause,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Evidence *string `json:"evidence,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=253
	Node *string `json:"node,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=253
	NodePool *string `json:"nodePool,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=32
	Owner *string `json:"owner,omitempty"`

	// +optional
	LostMilliseconds *NonNegative `json:"lostMilliseconds,omitempty"`

	// +optional
	LostChipSeconds *NonNegative `json:"lostChipSeconds,omitempty"`

	// +optional
	// +listType=map
	// +listMapKey=node
	// +listMapKey=signal
	// +kubebuilder:validation:MaxItems=6
	NodeEvidence []NodeEvidence `json:"nodeEvidence,omitempty"`

	// +optional
	RootCause *RootCause `json:"rootCause,omitempty"`

	// +optional
	ImagePullMilliseconds *NonNegative `json:"imagePullMilliseconds,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=64
	SlowestPull *string `json:"slowestPull,omitempty"`

	// +optional
	ContainerStartMilliseconds *NonNegative `json:"containerStartMilliseconds,omitempty"`

	// +optional
	ProgramStartupMilliseconds *NonNegative `json:"programStartupMilliseconds,omitempty"`

	// +optional
	FirstStep *NonNegative `json:"firstStep,omitempty"`

	// +optional
	LastStep *NonNegative `json:"lastStep,omitempty"`

	// +optional
	LostSteps *NonNegative `json:"lostSteps,omitempty"`

	// +optional
	SavedOnTermination *bool `json:"savedOnTermination,omitempty"` //nolint:nobools // yes or no; absent while it is not known

	// +optional
	LostWorkMilliseconds *NonNegative `json:"lostWorkMilliseconds,omitempty"`

	// +optional
	DetectMilliseconds *NonNegative `json:"detectMilliseconds,omitempty"`

	// +optional
	WaitMilliseconds *NonNegative `json:"waitMilliseconds,omitempty"`

	// +optional
	RescheduleMilliseconds *NonNegative `json:"rescheduleMilliseconds,omitempty"`

	// +optional
	ResumeMilliseconds *NonNegative `json:"resumeMilliseconds,omitempty"`

	// +optional
	CatchUpMilliseconds *NonNegative `json:"catchUpMilliseconds,omitempty"`
}

type Steps struct {
	// +optional
	Last *NonNegative `json:"last,omitempty"`

	// +optional
	LastDurable *NonNegative `json:"lastDurable,omitempty"`

	// +optional
	Retained *NonNegative `json:"retained,omitempty"`

	// +optional
	Repeated *NonNegative `json:"repeated,omitempty"`

	// +optional
	MeanMilliseconds *NonNegative `json:"meanMilliseconds,omitempty"`

	// +optional
	P50Milliseconds *NonNegative `json:"p50Milliseconds,omitempty"`

	// +optional
	P99Milliseconds *NonNegative `json:"p99Milliseconds,omitempty"`

	// +optional
	IdealMilliseconds *NonNegative `json:"idealMilliseconds,omitempty"`

	// +optional
	DeviationMilliseconds *int64 `json:"deviationMilliseconds,omitempty"`

	// +optional
	LastRecordTime *metav1.Time `json:"lastRecordTime,omitempty"`

	// +optional
	HangAfterMilliseconds *NonNegative `json:"hangAfterMilliseconds,omitempty"`

	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=9
	Phases []StepPhase `json:"phases,omitempty"` //nolint:nophase // parts of a step, not a state
}

type StepPhase struct {
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name,omitempty"`

	// +required
	Milliseconds *NonNegative `json:"milliseconds,omitempty"`

	// +optional
	Share *Percentage `json:"share,omitempty"`
}

type WindowScores struct {
	// +required
	// +kubebuilder:validation:Minimum=1
	WindowSeconds int64 `json:"windowSeconds,omitempty"`

	// +optional
	Milliseconds *NonNegative `json:"milliseconds,omitempty"`

	// +optional
	Scheduling *Percentage `json:"scheduling,omitempty"`

	// +optional
	Runtime *Percentage `json:"runtime,omitempty"`

	// +optional
	Job *Percentage `json:"job,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=128
	TopBadput *string `json:"topBadput,omitempty"`

	// +optional
	// +listType=map
	// +listMapKey=bucket
	// +listMapKey=family
	// +kubebuilder:validation:MaxItems=64
	Badput []WindowBucket `json:"badput,omitempty"`

	// +optional
	Interruptions *NonNegative `json:"interruptions,omitempty"`
}

type WindowBucket struct {
	// +required
	// +kubebuilder:validation:MaxLength=128
	Bucket *string `json:"bucket,omitempty"`

	// +required
	Family BadputFamily `json:"family,omitempty"`

	// +required
	Milliseconds *NonNegative `json:"milliseconds,omitempty"`
}

type AcceleratorHours struct {
	// +optional
	Allocated *Decimal `json:"allocated,omitempty"`

	// +optional
	Productive *Decimal `json:"productive,omitempty"`

	// +optional
	Lost *Decimal `json:"lost,omitempty"`

	// +optional
	Waiting *Decimal `json:"waiting,omitempty"`
}

type Cost struct {
	// +optional
	// +kubebuilder:validation:MaxLength=3
	Currency *string `json:"currency,omitempty"`

	// +optional
	PricePerChipHour *Decimal `json:"pricePerChipHour,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=16
	Source *string `json:"source,omitempty"`

	// +optional
	Allocated *Decimal `json:"allocated,omitempty"`

	// +optional
	Productive *Decimal `json:"productive,omitempty"`

	// +optional
	Lost *Decimal `json:"lost,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=256
	Message *string `json:"message,omitempty"`
}

type ProgramScores struct {
	// +optional
	Mfu *Percentage `json:"mfu,omitempty"`

	// +optional
	Emfu *Percentage `json:"emfu,omitempty"`

	// +optional
	TflopsPerChip *Decimal `json:"tflopsPerChip,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=16
	Source *string `json:"source,omitempty"`

	// +optional
	PeakGFLOPSPerChip *NonNegative `json:"peakGFLOPSPerChip,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=8
	DataType *string `json:"dataType,omitempty"`

	// +optional
	Parameters *Decimal `json:"parameters,omitempty"`

	// +optional
	RejectedLines *NonNegative `json:"rejectedLines,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=256
	Message *string `json:"message,omitempty"`
}

type Forecast struct {
	// +optional
	IntervalSeconds *NonNegative `json:"intervalSeconds,omitempty"`

	// +optional
	SaveMilliseconds *NonNegative `json:"saveMilliseconds,omitempty"`

	// +optional
	PersistMilliseconds *NonNegative `json:"persistMilliseconds,omitempty"`

	// +optional
	Runtime *Percentage `json:"runtime,omitempty"`

	// +optional
	RuntimeFirstOrder *Percentage `json:"runtimeFirstOrder,omitempty"`

	// +optional
	FirstOrderIsValid *bool `json:"firstOrderIsValid,omitempty"` //nolint:nobools // a threshold is passed or it is not

	// +optional
	Job *Percentage `json:"job,omitempty"`

	// +optional
	BestIntervalSeconds *NonNegative `json:"bestIntervalSeconds,omitempty"`

	// +optional
	BestIntervalSteps *NonNegative `json:"bestIntervalSteps,omitempty"`

	// +optional
	BestFromSeconds *NonNegative `json:"bestFromSeconds,omitempty"`

	// +optional
	BestToSeconds *NonNegative `json:"bestToSeconds,omitempty"`

	// +optional
	YoungSeconds *NonNegative `json:"youngSeconds,omitempty"`

	// +optional
	DalySeconds *NonNegative `json:"dalySeconds,omitempty"`

	// +optional
	BestRuntime *Percentage `json:"bestRuntime,omitempty"`

	// +optional
	RescheduleSeconds *NonNegative `json:"rescheduleSeconds,omitempty"`

	// +optional
	ResumeSeconds *NonNegative `json:"resumeSeconds,omitempty"`

	// +optional
	MeanTimeBetweenFailuresSeconds *NonNegative `json:"meanTimeBetweenFailuresSeconds,omitempty"`

	// +optional
	MeanTimeLowSeconds *NonNegative `json:"meanTimeLowSeconds,omitempty"`

	// +optional
	MeanTimeHighSeconds *NonNegative `json:"meanTimeHighSeconds,omitempty"`

	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:MaxLength=256
	Assumptions []string `json:"assumptions,omitempty"`

	// +optional
	RemainingSteps *NonNegative `json:"remainingSteps,omitempty"`

	// +optional
	RemainingSeconds *NonNegative `json:"remainingSeconds,omitempty"`

	// +optional
	RemainingDeviationSeconds *NonNegative `json:"remainingDeviationSeconds,omitempty"`

	// +optional
	FinishAt *metav1.Time `json:"finishAt,omitempty"`
}

type Advice struct {
	// +required
	// +kubebuilder:validation:MaxLength=64
	Kind *string `json:"kind,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=256
	Seen *string `json:"seen,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=256
	Change *string `json:"change,omitempty"`

	// +optional
	GainPoints *Percentage `json:"gainPoints,omitempty"`

	// +optional
	AcceleratorHours *Decimal `json:"acceleratorHours,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=128
	Formula *string `json:"formula,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=512
	Topic *string `json:"topic,omitempty"`
}

type PreviousTarget struct {
	// +required
	// +kubebuilder:validation:MaxLength=64
	UID *string `json:"uid,omitempty"`

	// +optional
	Time *PreviousTimes `json:"time,omitempty"`

	// +optional
	Goodput *PreviousScores `json:"goodput,omitempty"`
}

type PreviousTimes struct {
	// +optional
	Start *metav1.Time `json:"start,omitempty"`

	// +optional
	End *metav1.Time `json:"end,omitempty"`

	// +optional
	WallMilliseconds *NonNegative `json:"wallMilliseconds,omitempty"`

	// +optional
	AvailableMilliseconds *NonNegative `json:"availableMilliseconds,omitempty"`

	// +optional
	ProductiveMilliseconds *NonNegative `json:"productiveMilliseconds,omitempty"`
}

type PreviousScores struct {
	// +optional
	Scheduling *Percentage `json:"scheduling,omitempty"`

	// +optional
	Runtime *Percentage `json:"runtime,omitempty"`

	// +optional
	Job *Percentage `json:"job,omitempty"`

	// +optional
	Program *Percentage `json:"program,omitempty"`

	// +optional
	Productivity *Percentage `json:"productivity,omitempty"`

	// +optional
	RuntimeUpperBound *Percentage `json:"runtimeUpperBound,omitempty"`

	// +optional
	Evidence *Percentage `json:"evidence,omitempty"`
}
