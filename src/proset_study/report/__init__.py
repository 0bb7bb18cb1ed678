"""The report: every number comes from stored records; a few figures and the example of the article fit models."""
