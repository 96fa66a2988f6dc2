"""`python -m locomotor` is the command line."""

from locomotor.cli import main

if __name__ == "__main__":
    main()
