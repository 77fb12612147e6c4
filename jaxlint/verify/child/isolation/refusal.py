"""Files that cannot be imported: whoever imports one of them is told so at once."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import os
import sys
import traceback
import types
from collections.abc import Sequence

from jaxlint.verify.child.observing.places import UserFiles


class Refusal(importlib.abc.MetaPathFinder):
    """Refuses to import the files that ended or blocked a process before."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}

    def install(self) -> None:
        """Comes before all other finders."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        sys.meta_path.insert(0, self)

    def blame(self, error: BaseException, files: UserFiles, file: str, reason: str) -> None:
        """Gives up the innermost module that was being run, or the file itself."""
        for frame, _ in traceback.walk_tb(error.__traceback__):
            if frame.f_code.co_name == "<module>" and frame.f_code.co_filename in files:
                file = frame.f_code.co_filename
        self.files[os.path.realpath(file)] = reason

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not self.files:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        reason = self.files.get(os.path.realpath(spec.origin)) if spec and spec.origin else None
        if reason is not None:
            raise ImportError(f"{fullname} was given up: {reason}")
        return None
