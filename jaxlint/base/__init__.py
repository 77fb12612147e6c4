"""Floor 0: plain data that every other floor may use."""
