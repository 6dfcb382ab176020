"""The resources of a server, and how names find them."""
