"""A few dense layers trained by JAX on the CPU, checkpoints by Orbax, whose own lines go to the log. LAYERS says how long a step is."""
import absl.logging
import jax
import jax.numpy as jnp
import orbax.checkpoint as ocp

absl.logging.set_verbosity(absl.logging.INFO)
absl.logging.use_absl_handler()
WIDTH, BATCH = 512, 256


class Model:
    def __init__(self, folder, index, setting, say):
        del index, say  # Orbax speaks for itself
        layers = setting("LAYERS", 20)
        options = ocp.CheckpointManagerOptions(max_to_keep=3)
        self.manager = ocp.CheckpointManager(folder, options=options)
        self.inputs = jax.random.normal(jax.random.key(0), (BATCH, WIDTH))
        self.targets = jnp.roll(self.inputs, 1, axis=1)

        def loss_of(weights):
            hidden = jax.lax.fori_loop(0, layers, lambda _, h: jnp.tanh(h @ weights["hidden"]), self.inputs)
            return jnp.mean((hidden @ weights["out"] - self.targets) ** 2)

        def update(weights):
            loss, gradients = jax.value_and_grad(loss_of)(weights)
            return jax.tree.map(lambda w, g: w - 0.01 * g, weights, gradients), loss

        self.update = jax.jit(update)
        # Made (and compiled) here, before anything is restored: it takes seconds and is not part of a restore.
        key = jax.random.key(1)
        self.start = {name: jax.random.normal(key, (WIDTH, WIDTH)) / WIDTH for name in ("hidden", "out")}

    def newest(self):
        return self.manager.latest_step()

    def initial(self):
        return self.start

    def restore(self, step):
        return self.manager.restore(step, args=ocp.args.StandardRestore(self.initial()))

    def save(self, step, weights):
        self.manager.save(step, args=ocp.args.StandardSave(weights))

    def step(self, weights, first):
        """(new weights, loss); the loss is waited for, and with it the step."""
        del first
        weights, loss = self.update(weights)
        return weights, float(loss)

    def finish(self):
        self.manager.wait_until_finished()
