"""WebSockets: frames, channels of commands and ports, lines of logs."""
