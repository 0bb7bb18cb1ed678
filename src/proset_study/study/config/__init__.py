"""The config: its files, what they may say, and the study that they describe."""
