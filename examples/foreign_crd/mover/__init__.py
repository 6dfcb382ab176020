"""Moves backups from a store that is given up to another one."""
