"""Floor 8: the proof that pages are true, of our own rules and of anybody else's."""
