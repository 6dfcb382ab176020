"""The asyncio flavour: everything that waits is written here, and derived from here."""
