"""`python -m jaxlint`."""

import sys

from jaxlint.base.runtime.import_path import restrict

if __name__ == "__main__":
    # Before anything is imported that a file of the current directory may stand in for.
    restrict(sys.argv[1:])

    from jaxlint.frontends.start import main

    raise SystemExit(main())
