"""What the command-line agents print, one file per agent. Beside their records, which every command
loads: pydantic is loaded when an answer is read."""
