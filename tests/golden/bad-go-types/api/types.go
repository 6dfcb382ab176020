// +groupName=stable.example.com
package api

// +genclient
type Cart struct{}
