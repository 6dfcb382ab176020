package v1

// +genclient
type Imagined struct{}
