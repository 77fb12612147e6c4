"""Floor 0: plain data that every other floor may use.

What concerns the running process is in `runtime`, what surveys tell of a project in `surveys`.
"""
