"""`python -m jaxlint`."""

from jaxlint.frontends.cli import main

if __name__ == "__main__":
    main()
