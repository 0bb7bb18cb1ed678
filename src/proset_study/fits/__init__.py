"""Searches, final models, and the samples that they are fitted to."""

from proset_study.evaluations import KINDS

__all__ = ["KINDS"]
