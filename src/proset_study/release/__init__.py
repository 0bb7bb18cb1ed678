"""A report as an archive, its crate and predictions, and what checks one."""
