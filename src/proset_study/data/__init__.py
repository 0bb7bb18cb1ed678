"""Data sets: made, loaded or read, split, and encoded for a method."""
