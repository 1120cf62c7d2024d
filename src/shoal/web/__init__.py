"""The web application: a curator's work without a page, the server and its REST API, and the pages."""
