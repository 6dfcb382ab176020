// +groupName=stable.example.com
// +groupNam=stable.example.com
package v1

// +genclient
// +genclient:skipVerb=delete
// +genclient:onlyVerbs=get,lst
type Fleet struct{}

// +genclient:readonly

// Two lines are one too many:


// Cart is not marked.
type Cart struct{}

// +genclient
type Phase string
