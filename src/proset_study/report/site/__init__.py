"""One site from the committed reports: an answer, a model to play with, all scores, and the documentation."""
