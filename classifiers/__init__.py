"""Classifiers: heads over encoder states predict what a question needs, and a calibration how sure an answer is.

Everything here takes arrays and does not depend on the reader: any states of words and schema items will do.
"""
