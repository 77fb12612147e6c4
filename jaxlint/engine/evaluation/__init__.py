"""Steps of evaluation that several rooms share: defining and instantiating classes, reading a name
without effects, running alternatives, guessing what an unknown call gives. Transfer functions of
syntax belong to `interpreter`, what values are to `domain`.
"""
