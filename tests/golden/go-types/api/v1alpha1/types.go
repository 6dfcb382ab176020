// Package v1alpha1 is a version that is served no more.
// +groupName=stable.example.com
package v1alpha1

// +genclient
// +genclient:noVerbs
type CronTab struct{}
