"""The web application inside a notebook: a study handed over, its pages in a frame, and what was chosen."""
