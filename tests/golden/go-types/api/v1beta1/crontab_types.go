package v1beta1

// CronTab is a job that runs on a schedule.
// +genclient
// +genclient:readonly
type CronTab struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}
