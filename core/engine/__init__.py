"""Does things in order, through ports; start with beat.py."""
