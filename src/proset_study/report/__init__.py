"""The report: everything in it comes from stored records, nothing is fitted again."""
