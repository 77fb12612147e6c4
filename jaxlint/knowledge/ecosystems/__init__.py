"""Models of the libraries on top of JAX: each module holds the `model` of one of them."""
