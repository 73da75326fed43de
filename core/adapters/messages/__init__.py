"""Messages to the person: the desktop and the channels."""
