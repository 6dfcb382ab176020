"""Creates a Deployment, a Service and an Ingress in front of it."""

from kubeapi import Clientset

WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx, ports: [{containerPort: 80}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec:
  defaultBackend: &web {service: {name: web, port: {number: 80}}}
  rules: [{host: web.example.com, http: {paths: [{path: /, pathType: Exact, backend: *web}]}}]
"""

with Clientset.from_config() as k:
    print(k.manifests(WEB).apply(wait=60))
