"""Rules all API servers share, after k8s.io/apimachinery: names, statuses, JSONPath, decoding."""
