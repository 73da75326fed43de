"""Why something ended as it did, as data: names, numbers, and what something outside printed.

Unlike the sentence next to it, it can be compared: a sentence may be reworded at any time.
"""

Cause = tuple[str, ...]
