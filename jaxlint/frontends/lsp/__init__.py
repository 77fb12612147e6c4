"""The language server: open documents go in, diagnostics come out."""
