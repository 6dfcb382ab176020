"""What a server holds: resources and their strategies, stored objects, views of them."""
