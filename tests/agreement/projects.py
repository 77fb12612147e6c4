from pathlib import Path


class Project:
    name = ""


def load():
    return []
