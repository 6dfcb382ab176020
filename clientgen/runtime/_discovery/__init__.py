"""Which resources a server has: discovery documents, and the rules by which resources are named."""
