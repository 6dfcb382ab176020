"""Everything that waits, for asyncio: clients, watches, caches, controllers.

`python -m clientgen.generator.unasync` derives `_sync` from these modules. `_primitives`,
`transport`, `local_listener` and `http_endpoints` are written by hand for each flavour. Decisions
are in the other rooms of the runtime, which get the time as a number. Waits go through
`_primitives.wait_until`, which follows the `FakeClock` of a test; `standstill_alarm` ends the waits
if the test stops moving the clock. Only `transport` imports aiohttp to send requests; in `_sync`,
it imports urllib3.
"""
