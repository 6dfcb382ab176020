"""An operator for WebApps: each has a Deployment and a Service."""
