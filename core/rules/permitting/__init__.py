"""What may run: tags, approvals. The file asks; only the person grants."""
