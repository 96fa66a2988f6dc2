"""Pictures of runs and systems; nothing below imports this layer, runs open it when asked to."""
