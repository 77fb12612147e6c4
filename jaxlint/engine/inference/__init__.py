"""What is known of code without running it on the machine: signatures, lengths, definitions.

Questions about values and bindings that several checks ask. Nothing here emits a fact.
"""
