"""The files around modules that are to be imported on another machine, and paths there and here."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from jaxlint.base.reading import read_file
from jaxlint.project.discovery import discover
from jaxlint.verify.protocol import Config, Job, dump, load

# What a module reads of its package's data is small; the rest would be a burden.
_MOST_DATA = 256_000


def packed(roots: Iterable[str]) -> bytes:
    """The Python files below directories, and the small files beside them, by absolute path."""
    contents: dict[str, bytes] = {}
    roots = [os.path.abspath(root) for root in roots]
    sources = [os.path.abspath(file) for file in discover(roots).files]
    for folder in dict.fromkeys([*roots, *map(os.path.dirname, sources)]):
        _gather(folder, contents)
    return pickle.dumps(contents, pickle.HIGHEST_PROTOCOL)


def _gather(folder: str, contents: dict[str, bytes]) -> None:
    # What cannot be read here cannot be imported here either.
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.is_file() and _is_wanted(entry):
                    contents[entry.path] = read_file(entry.path)


def _is_wanted(entry: os.DirEntry[str]) -> bool:
    return entry.name.endswith(".py") or entry.stat().st_size <= _MOST_DATA


def unpack(data: bytes, directory: str) -> None:
    """Writes the files below a directory, each under its whole path."""
    contents: Mapping[str, bytes] = pickle.loads(data)
    for path, content in contents.items():
        there = _there(path, directory)
        os.makedirs(os.path.dirname(there), exist_ok=True)
        with open(there, "wb") as stream:
            stream.write(content)


def config_there(config: Config, directory: str) -> Config:
    """The configuration for files that were unpacked there."""
    roots = tuple(_there(path, directory) for path in config.roots)
    return replace(config, roots=roots, paths=tuple(_there(one, directory) for one in config.paths))


def jobs_there(jobs: Sequence[Job], directory: str) -> list[Job]:
    """The jobs for files that were unpacked there."""
    return [
        replace(
            job,
            file=_there(job.file, directory),
            targets=tuple(replace(it, file=_there(it.file, directory)) for it in job.targets),
            recorded=tuple(replace(it, file=_there(it.file, directory)) for it in job.recorded),
        )
        for job in jobs
    ]


def here(answer: Any, directory: str) -> Any:
    """A message of the verifier's protocol with the paths of home wherever it speaks of one."""
    return load(dump(answer).replace(directory, ""))


def _there(path: str, directory: str) -> str:
    return directory + os.path.abspath(path)
