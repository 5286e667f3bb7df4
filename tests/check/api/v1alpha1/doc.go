// Package v1alpha1 has the three kinds of goodput.dev as Go types, for the tools of the field that read Go types only:
// controller-gen, whose schema of them must equal crds/, and kube-api-linter. The controller itself is C and does not
// use them. They carry no texts: those are in crds/ only.
//
// +groupName=goodput.dev
package v1alpha1

// +kubebuilder:validation:Minimum=0
type NonNegative int64

// +kubebuilder:validation:MaxLength=16
type Percentage string

// +kubebuilder:validation:MaxLength=32
type Decimal string

// +kubebuilder:validation:MaxLength=63
type LabelValue string
