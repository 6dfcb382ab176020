// +groupName=other.example.com
package v1

// +genclient
// +genclient:nonNamespaced=false
type Fleet struct{}
