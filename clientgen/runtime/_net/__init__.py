"""Sockets of the transports: deadlines and keepalive."""
