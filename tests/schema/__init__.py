"""What crosses packages."""
