"""What arrays of other libraries have and arrays of JAX have not, and what to write in its place.

Source: the API references of `torch.Tensor`, `tf.Tensor` and `jax.Array`.
"""

from __future__ import annotations

from typing import Final

_CAST = "`{}.astype(dtype)`"
# By the name of the attribute, with the place of the array.
OF_OTHERS: Final = {
    "backward": "`jax.grad` of the function that computes it",
    "cpu": "`jax.device_get({})`",
    "cuda": "`jax.device_put({}, device)`",
    "detach": "`jax.lax.stop_gradient({})`",
    "double": _CAST,
    "expand": "`jnp.broadcast_to({}, shape)`",
    "float": _CAST,
    "grad": "`jax.grad` of the function that computes it",
    "half": _CAST,
    "int": _CAST,
    "long": _CAST,
    "masked_fill": "`jnp.where(mask, value, {})`",
    "numpy": "`np.asarray({})`, outside compiled code",
    "permute": "`{}.transpose(...)`",
    "requires_grad_": "`jax.grad` of the function that uses it",
    "to": _CAST,
    "type": _CAST,
    "unsqueeze": "`jnp.expand_dims({}, axis)`",
}
