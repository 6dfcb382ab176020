"""The links that requests pass on their way to the server, in the order of `request_chain`."""
