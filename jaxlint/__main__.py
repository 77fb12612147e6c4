"""`python -m jaxlint`."""

from jaxlint.frontends.start import main

if __name__ == "__main__":
    raise SystemExit(main())
