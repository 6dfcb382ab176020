"""The commands, with click."""
