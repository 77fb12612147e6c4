"""Small generated modules about one hazard each, labelled by what JAX does with them."""
