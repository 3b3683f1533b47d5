"""Labels of released recordings as each metric takes them."""
