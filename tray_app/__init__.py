"""Everything that a person sees: command line, tray, pages."""
