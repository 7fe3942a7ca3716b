"""The steps of the graphs: one small function a file, reaching the world through Context only."""
