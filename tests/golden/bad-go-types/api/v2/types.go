// +groupName=stable.example.com
package v2

/* This does not end.

// +genclient
type Cart struct{}
