"""Programs that stand in for those of others."""

from pathlib import Path

STAND_IN = Path(__file__).with_name("agent.py")  # for an agent that is a program
