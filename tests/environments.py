"""Environments of Python in which this one's distributions, and jaxlint, are installed too."""

from __future__ import annotations

import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]


class Environment:
    """An environment of its own in a directory; `site` is where distributions are installed."""

    def __init__(self, directory: Path) -> None:
        venv.EnvBuilder(symlinks=sys.platform != "win32").create(directory)
        scheme = sysconfig.get_path("purelib", "venv", {"base": str(directory)})
        self.site = Path(scheme)
        self.scripts = Path(sysconfig.get_path("scripts", "venv", {"base": str(directory)}))
        self.python = str(self.scripts / "python")
        around = [path for path in sys.path if Path(path).name in ("site-packages",)]
        (self.site / "around.pth").write_text("\n".join([*around, str(ROOT)]) + "\n")

    def install(self, name: str, entry_points: str, version: str = "1.0") -> None:
        """Writes the metadata of a distribution."""
        write_metadata(self.site, name, entry_points, version)

    def command(self, name: str, module: str) -> str:
        """The command that installing a distribution writes for `module:main`."""
        path = self.scripts / name
        path.write_text(
            f"#!{self.python}\nimport re\nimport sys\nfrom {module} import main\n"
            "if __name__ == '__main__':\n    sys.exit(main())\n"
        )
        path.chmod(0o755)
        return str(path)


def write_metadata(directory: Path, name: str, entry_points: str, version: str = "1.0") -> None:
    """Writes the metadata of a distribution into a directory."""
    metadata = directory / f"{name.replace('-', '_')}-{version}.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (metadata / "entry_points.txt").write_text(entry_points)
