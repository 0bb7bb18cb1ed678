"""The article: its numbers, tables and figures by name from committed records, the check of its sources, the PDF."""
