"""YAML and JSON manifests, the Scheme, and manifest sets.

A `Scheme` has the class of each kind, and the resource that serves the kind. Packages register
their kinds by name, and are imported when a kind is needed. `manifest_documents` splits texts into
documents and finds line numbers. `type_errors` finds values of wrong types. For manifest sets,
`apply_plan` finds mistakes before the first request, `apply_order` sorts the objects, `apply_set`
reads and writes the labels of ApplySets, and `manifest_diff` shows differences. `object_addresses`
finds the kind and the namespace of an object.
"""
