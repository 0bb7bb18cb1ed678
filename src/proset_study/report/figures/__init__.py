"""Figures of the report, drawn from stored records."""
