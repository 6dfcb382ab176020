"""Sockets: keepalive, deadlines, endpoints of programs."""
