"""Dissimilarities of images and strings."""
