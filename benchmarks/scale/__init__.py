"""What one process can carry: informers of 1,000 to 100,000 pods, in every form of storage.

`python -m benchmarks.scale` runs it. `forms` names what is measured, `population` makes the pods,
`server` sends them, `worker` is the process that is measured, and `report` writes the tables and
plots.
"""
