"""Rules that several kinds share; a module per subject, such as label selectors or containers."""
