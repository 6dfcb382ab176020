"""A module for each verb, and for each subresource with a body of its own."""
