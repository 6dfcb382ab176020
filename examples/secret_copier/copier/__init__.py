"""An operator that copies Secrets to the namespaces that match a selector."""
