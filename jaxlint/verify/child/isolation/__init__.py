"""What keeps user code from doing harm: limits, refused files, forks, the integrity of JAX.

It is put on before anything of the user's runs.
"""
