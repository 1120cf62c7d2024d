"""What searches return: recodings, solutions, and what they cost."""
