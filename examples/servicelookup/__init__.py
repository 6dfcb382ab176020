"""A whole controller: it keeps a PodToService for every pod that backs a service. See README.md."""
