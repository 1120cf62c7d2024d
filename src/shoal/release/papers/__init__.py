"""The papers of a release: certificate, record, mappings and reports, and how all of it is put in place."""
