"""From text to a document: every byte belongs to a line and every line to a node. Any input gives a
document."""
