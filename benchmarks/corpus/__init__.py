"""Made-up tables of many kinds, with what a curator would say about every column of them."""
