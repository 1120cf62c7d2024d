"""What a table or release reveals, and what it is still good for."""
