"""Work in progress: its clock, who may stop it, who hears about it, and how much memory it may use."""
