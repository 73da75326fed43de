"""Status to menu entries (pure), and the icon that shows them."""
