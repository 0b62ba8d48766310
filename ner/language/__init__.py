"""Words of questions and cells: segmentation, folding, and function words."""
