"""What may run, and what it may reach: tags, approvals, hosts. The file asks; only the person grants."""
