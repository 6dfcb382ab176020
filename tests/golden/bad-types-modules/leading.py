"""Leads to a module that is wrong."""

import no_python
