"""HTML pages of the report."""
