"""Dissimilarities of items that are no feature vectors, and of ranks."""
