// +groupName=stable.example.com
// +versionName=v1
package api

// +genclient
// +genclient:noStatus
// +resourceName=armadas
type Fleet struct{}

// Ship has no CustomResourceDefinition.
// +genclient
type Ship struct{}

// +genclient
// +genclient:method=GetScale,verb=get,subresource=scale,result=k8s.io/api/autoscaling/v1.Scale
type Fleets struct{}
