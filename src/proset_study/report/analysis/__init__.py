"""Numbers of the report from stored results; no HTML and no Matplotlib."""
