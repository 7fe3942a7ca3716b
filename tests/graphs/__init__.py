"""The compiled session with its real checkpoints and fakes behind the ports."""
