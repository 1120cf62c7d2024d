"""JSON documents with their schemas, readers and writers, and files that are whole or not there."""

from shoal.documents.certificate import CERTIFICATE, certificate_of, certificate_path, read_certificate
from shoal.documents.json_files import document_of, read_bytes, read_document, read_json, undamaged
from shoal.documents.schema import first_fault, schema_named
from shoal.documents.signature import PublicKey, Signed, SigningKey, signature_path

__all__ = [
    "CERTIFICATE",
    "PublicKey",
    "Signed",
    "SigningKey",
    "certificate_of",
    "certificate_path",
    "document_of",
    "first_fault",
    "read_bytes",
    "read_certificate",
    "read_document",
    "read_json",
    "schema_named",
    "signature_path",
    "undamaged",
]
