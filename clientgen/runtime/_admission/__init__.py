"""Admission and conversion webhooks: reviews, patches, configurations."""
