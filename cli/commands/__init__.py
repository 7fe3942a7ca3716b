"""The commands of the terminal: `registry` names them, the other modules hold their functions."""
