"""Tables in files and in frames: found, checked, and given back as the kind that came in."""
