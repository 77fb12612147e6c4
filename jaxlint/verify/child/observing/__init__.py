"""What happens while the user's code runs: places, conversions of tracers, probes, coverage.

Observation changes nothing in what is observed. To judge it belongs to `experiments`.
"""
