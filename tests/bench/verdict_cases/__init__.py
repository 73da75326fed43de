"""The cases of the liars' bench, one file a theme, with what docs/spec.md promises in `oracle.py`.

Law: nobody who writes here has read what judges in the program. A case knows from how it was made
whether its check passes; the oracle shares no code with the program.
"""
