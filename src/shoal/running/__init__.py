"""Work that goes on: its clock, who may stop it, who is told of it, and how much memory is left for it."""
