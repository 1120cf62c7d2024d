"""What people read and look at: words and numbers, charts, reports."""
