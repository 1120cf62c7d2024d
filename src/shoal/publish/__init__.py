"""A release with all its papers: data, certificate, record, mappings, reports."""
