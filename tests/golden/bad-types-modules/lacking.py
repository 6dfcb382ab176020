"""Needs what is not installed."""

import not_installed_anywhere
