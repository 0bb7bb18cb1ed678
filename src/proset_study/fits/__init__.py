"""Searches, selections, final models, and the samples that they are fitted to."""
