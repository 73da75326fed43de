"""The person's desktop: login, dialogs, editor, terminal."""
