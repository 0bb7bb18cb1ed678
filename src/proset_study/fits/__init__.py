"""What else is asked of the chosen models: scores per class, learning curves, the bootstrap, bias and variance."""

KINDS = ("learning_curve", "bootstrap", "bias_variance")  # those with fits of their own, each a rule and a record
