"""A package of API types: two versions of one group, and another group."""
