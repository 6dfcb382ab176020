"""Makes a release: docs/internals/releasing.md tells how."""
