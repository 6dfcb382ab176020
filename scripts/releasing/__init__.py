"""Makes a release: docs/releasing.md tells how."""
