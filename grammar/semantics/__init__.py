"""The rules of the constraint, and the semantic actions of the grammar, which hold each reduction to them."""
