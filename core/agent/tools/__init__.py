"""The tools that every model is offered, one group a file."""
