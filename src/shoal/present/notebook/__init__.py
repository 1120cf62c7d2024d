"""What notebooks show of an answer: words, tables and pictures in HTML that brings everything along."""

from shoal.present.notebook.displays import html_of

__all__ = ["html_of"]
