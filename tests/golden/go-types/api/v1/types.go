package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Usage is text, and no type of the API:
const Usage = `
// +genclient
type Usage struct {}
`

// +genclient
// +genclient:noStatus
// +genclient:method=GetScale,verb=get,subresource=scale,result=k8s.io/api/autoscaling/v1.Scale
// +genclient:method=SetStatus,verb=update,subresource=status,input=CronTab,result=CronTab
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:subresource:status

// CronTab is a job that runs on a schedule.
// +resourceName=crontabs
type CronTab struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"` // +genclient

	// +genclient
	Spec   CronTabSpec   `json:"spec,omitempty"`
	Status CronTabStatus `json:"status,omitempty"`
}

type (
	// CronTabSpec is what to run and when.
	CronTabSpec struct {
		// +kubebuilder:validation:Pattern=`^(\d+|\*)(/\d+)?(\s+(\d+|\*)(/\d+)?){4}$`
		CronSpec string `json:"cronSpec"`
		Replicas *int32 `json:"replicas,omitempty"`
	}

	// CronTabStatus is what runs.
	CronTabStatus struct {
		Replicas int32 `json:"replicas,omitempty"`
	}

	/*
	Fleet is all there is.

+genclient
+genclient:nonNamespaced
	*/
	// +genclient:skipVerbs=delete,deleteCollection
	Fleet struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitempty"`

		Spec FleetSpec `json:"spec,omitempty"`
	}
)

// FleetSpec is how much that is.
type FleetSpec struct {
	Size int32 `json:"size,omitempty"`
}
