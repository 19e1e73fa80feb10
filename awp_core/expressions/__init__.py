"""Selectors, comparisons, safe expressions, and what a reply of a person means."""
