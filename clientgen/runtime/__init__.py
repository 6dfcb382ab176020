"""What generated clients stand on: models, errors, patches, and the REST client in two flavours.

Importing this package is cheap: no HTTP library, event loop or generator comes with it. The
clients themselves are in `clientgen.runtime.aio` and `clientgen.runtime.sync`.
"""
