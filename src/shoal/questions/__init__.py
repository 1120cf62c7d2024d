"""What can be asked, each question once: its parts, their meaning, and what is refused."""
