"""Words: frozen values without IO that every other room shares."""
