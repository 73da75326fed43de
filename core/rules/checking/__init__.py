"""What was promised against what was measured. Pure: measurements come in, verdicts go out."""
