package v1beta1

// CronTab is a job that runs by the clock.
// +genclient
// +genclient:readonly
type CronTab struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}
