"""What a training run can be told, how far it is, and the folder that a kill cannot spoil."""
