"""What everything else is made of: records, seeds, scores, the environment."""
