"""What Python does to abstract values: operators, attributes, items, stores, methods, truth.

One module for one kind of operation. What a library function does is in `models`.
"""
