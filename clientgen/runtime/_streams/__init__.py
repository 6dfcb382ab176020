"""Streams to containers: frames of WebSockets, channels, archives. Decisions only, without I/O."""
