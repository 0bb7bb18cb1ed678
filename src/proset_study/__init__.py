"""The study: data sets, splits, two-stage search, final models, scores, tables.

The modules a worker needs import NumPy only; each method imports its own library when it is used.
"""
