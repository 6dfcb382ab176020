"""YAML and JSON manifests, the Scheme, and manifest sets.

A `Scheme` knows the class of each kind and the resource that serves it; packages add theirs by
name, and it imports them when they are needed. `manifest_documents` splits texts and knows line
numbers, `type_errors` says which value is wrong and where. For manifest sets, `apply_plan` finds
what is wrong before any request, `apply_order` sorts, `apply_set` knows the labels of ApplySets,
and `manifest_diff` writes differences. `object_addresses` decides where an object lives.
"""
