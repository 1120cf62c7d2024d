"""What a release is still good for, with answers that are known."""
