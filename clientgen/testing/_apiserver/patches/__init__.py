"""The patches, and how they are applied."""
