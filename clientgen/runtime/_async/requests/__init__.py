"""The links that requests pass on the way to the server. `request_chain` shows their order."""
