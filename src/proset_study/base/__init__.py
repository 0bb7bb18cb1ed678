"""What everything else is made of: records, seeds, ranges of parameters, what a user adds, the environment."""
