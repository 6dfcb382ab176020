package v1beta1

var GroupVersion = schema.GroupVersion{Group: names.Group, Version: "v1beta1"}

// +genclient
type Cart struct{}
