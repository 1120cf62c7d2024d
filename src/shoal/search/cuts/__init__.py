"""Full-subtree recoding: the cuts through taxonomies, how many there are, and what each costs."""
