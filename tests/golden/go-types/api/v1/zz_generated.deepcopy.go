package v1

// +genclient:unheardOf
type Copied struct{}
