"""What one run tells other runs: fingerprints of calls, their effects, costs and transforms.

Here belongs what a call may read and do outside itself. Running a call is the task of `machine`.
"""
