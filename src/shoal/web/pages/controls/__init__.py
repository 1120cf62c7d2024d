"""Controls of our own: small components that run in the browser, each with the Python that stands for it."""
