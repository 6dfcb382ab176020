"""The generator: sources to files. Generated code imports nothing of it.

`pipeline` runs the stages in this order:

    gather    inputs                     configuration -> the bytes of every source, their digests
    read      sources/, python_types/,   bytes -> `Spec`: definitions and operations
              go_source, go_types
    markers   genclient_markers,         `+genclient` lines -> `Genclient`
              genclient, overrides
    resolve   resolve/                   `Spec`s -> `ir.Api`: models, resources, verbs
    plan      plan/, python_names        `Api` -> a `FilePlan` per file, with every Python name
    render    render, templates/,        plans -> text; `unasync` derives the sync modules
              literals, import_scope
    format    layout_check, format       black, for classes that are not laid out as black does
    output    output, package_manifest,  text -> files, or the differences (`verify`)
              disk_state, atomic_write

An unchanged run stops after the first stage: the digests are in the package's `_manifest.json`. The
stages between "read" and "output" are pure functions. Bad input is a `Problem` with a place, a
message and a hint; a stage collects all problems, then raises `ClientgenError`.

- The spec is the truth, markers are overrides. Scope, plural, verbs and subresources come from the
  paths. A marker removes, renames or adds a method; it adds no verb that the API does not have.
- A definition's group comes from its kinds, never from its name (`resolve/placement`).
- A copy of a known type is that type (`resolve/known_types`). Equal inline types become one class
  (`resolve/inline_types`).
- A document never becomes code. `api_words` checks groups, kinds and plurals when they are read;
  every other text passes `quoted` or `docstring` of `literals`.
- Templates contain no decisions. The methods of clients are a table, `plan/method_shapes`.
- Same input, same bytes: no file has a timestamp or a path of the machine.

`crds/` works in the other direction: it makes CRD manifests from Python classes and their markers.
`drift/` compares two packages.
"""
