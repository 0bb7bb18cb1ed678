"""The check of a report, from whomever it comes, by its own records."""
