"""The nodes of the session, each called by itself with fakes behind its ports."""
