"""The version of jaxlint."""

version = "0.1.0"
