"""The wiring of nodes into graphs, and the driver that resumes them."""
