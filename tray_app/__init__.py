"""What a person sees and uses: the command line and the tray."""
