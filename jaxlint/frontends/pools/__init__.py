"""Pools of worker processes, on this machine and on a Dask cluster, that examine files for a run.

Which files a run needs does not belong here: it is in `frontends.runs`.
"""
