"""JSON documents with their schemas, readers and writers, and files that are complete or absent."""

from shoal.documents.json_files import read_bytes, read_json, text_of, undamaged
from shoal.documents.readers import (
    CERTIFICATE,
    RECORD,
    certificate_of,
    certificate_path,
    check_solution,
    read_certificate,
    record_in,
    solution_in,
)
from shoal.documents.schema import first_fault, schema_named
from shoal.documents.signature import PublicKey, Signed, SigningKey, signature_path

__all__ = [
    "CERTIFICATE",
    "RECORD",
    "PublicKey",
    "Signed",
    "SigningKey",
    "certificate_of",
    "certificate_path",
    "check_solution",
    "first_fault",
    "read_bytes",
    "read_certificate",
    "read_json",
    "record_in",
    "schema_named",
    "signature_path",
    "solution_in",
    "text_of",
    "undamaged",
]
