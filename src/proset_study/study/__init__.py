"""What the workflow asks of the package: config, names of files, keys, steps, plans, resources, and what failed."""
