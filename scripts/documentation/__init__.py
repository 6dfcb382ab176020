"""The site of the documentation: what goes into it, and a check of what comes out."""
