"""How things move: pure functions from a System and symbols (or numbers) to expressions. One algorithm, one file."""
