"""What the workflow asks of the package: a plan in words, resources, targets, and what failed."""
