"""From a question to its answer: posed, searched, measured."""
