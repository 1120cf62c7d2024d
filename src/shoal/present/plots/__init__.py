"""Plots for notebooks, with matplotlib."""
