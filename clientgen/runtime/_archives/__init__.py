"""Files that are copied to and from containers, as tar archives."""
