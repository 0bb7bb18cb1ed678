"""One site from the committed reports: an answer, a model to play with, all scores to compare, and the documentation."""
