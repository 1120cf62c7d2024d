"""What is left to fear of a table or release, and what it is still good for."""
