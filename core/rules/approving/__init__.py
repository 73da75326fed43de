"""What executes, what was approved of it, and how a person is shown both."""
