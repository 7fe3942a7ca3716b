"""Rules as YAML and the engine that runs them: source in, findings out."""
