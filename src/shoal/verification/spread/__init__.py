"""Measures released rows: how sensitive values are distributed, and how groups relate to a population.

It shares no code with the criteria that searches and releases use.
"""
