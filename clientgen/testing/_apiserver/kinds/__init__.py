"""The rules of built-in kinds: `<group>/<kind>.py` has its `Strategy`.

A module has one subclass of `Strategy` (see `strategy`), and everything that the server knows of
the kind is in it: defaults, preparation, validation, warnings, names, the columns of its Table,
selectable fields, conversions. Kinds without special behaviour have no module: `Strategy` itself
serves them. `catalog.strategy_of` gives the strategy of a resource.

A group's folder has the first word of the group's name: `core` (whose name is empty), `apps`,
`rbac` (rbac.authorization.k8s.io), `storage`. Its `__init__` lists the strategies by kind as
`STRATEGIES`, and `catalog` lists the groups.

Kinds of which there is more to know have modules beside that one (`core/service_validation.py`), or
a folder (`core/pod/`).

The modules beside the folders are the framework: `strategy`, `defaults`, `metadata`,
`selector_fields`, `scale_conversion`, `deprecation`. `shared` has the rules that several kinds use,
such as those of pod templates. Groups import from `shared`, not from each other.
"""
