"""Runs a program many times against faults, to find its bugs: `explore`.

A run is a function of a seed and a schedule, which is a list of faults. It runs on a `VirtualLoop`,
whose clock moves to the next timer when nothing is ready. `virtual_time` replaces clocks and random
numbers, `network` has the transports that inject faults into requests and watches, `replicas`
kills and starts processes. `run` combines them, `states` and `judges` check the final state,
`search` chooses the schedules. tests/explore/corpus has controllers with a bug, each with a
twin without it: scripts/explore_corpus.py measures the search.
"""
