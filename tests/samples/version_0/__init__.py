"""What the first version left on a disk, and what it said about it.

`how_it_was_made.txt` is the script that made it: kept to be read, as no later version can run it.
"""
