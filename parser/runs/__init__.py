"""Resumable runs, which survive being killed: training in a folder, and predictions for a file of questions."""
