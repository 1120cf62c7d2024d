"""Our own controls: small components that run in the browser, each with its Python side."""
