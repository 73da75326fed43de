"""From a document and changes to bytes: only the bytes of a changed value change."""
