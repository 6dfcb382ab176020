"""The state of a server: resources and their strategies, stored objects, views of them."""
