"""Runs that survive being killed: a training with its folder, a file of questions with its records."""
