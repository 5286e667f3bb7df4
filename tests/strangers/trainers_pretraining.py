"""Logs of small trainers of language models on PyTorch, from nanoGPT to Composer."""

import math

from job import Bar, Style, clock, millis, style, written


@style
class nanogpt(Style):
    source = "karpathy/nanoGPT train.py:265,285,327"
    counts_from = 0
    evaluates_first = True
    startup = (
        "tokens per iteration will be: 491,520",
        "Initializing a new model from scratch",
        "number of parameters: 123.59M",
        "num decayed parameter tensors: 50, with 124,318,464 parameters",
        "compiling the model... (takes a ~minute)",
    )

    def restore(self, begin, end, resumed):
        self.writer.line(begin, "Resuming training from out")

    def evaluate(self, begin, end, step, context):
        self.writer.line(end, f"step {step}: train loss {context.loss:.4f}, val loss {context.loss+.1:.4f}")

    def save(self, begin, end, step, context):
        self.writer.line(begin, "saving checkpoint to out")

    def log(self, context):
        self.writer.line(
            context.at,
            f"iter {context.printed}: loss {context.loss:.4f}, time {context.since_step*1000:.2f}ms, mfu {31.2:.2f}%",
        )


@style
class modded_nanogpt(Style):
    source = "KellerJordan/modded-nanogpt train_gpt.py:2342,2369"
    log_every = 1
    never_saves = True
    startup = (
        "Running Python 3.12.7",
        "Running PyTorch 2.9.0.dev compiled for CUDA 12.6",
        "====================",
        "Compiling model and warming up kernels (~7 minutes on first execution)",
    )

    def begin(self, at, resumed):
        self.writer.line(at, f"step:0/{self.job.steps} val_loss:10.8258 train_time:0ms step_avg:0.03ms")

    def log(self, context):
        self.writer.line(
            context.at,
            f"step:{context.step}/{context.steps} train_time:{context.trained*1000:.0f}ms step_avg:{context.trained*1000/context.step:.2f}ms",
        )

    def evaluate(self, begin, end, step, context):
        self.writer.line(
            end,
            f"step:{step}/{context.steps} val_loss:{context.loss:.4f} train_time:{context.trained*1000:.0f}ms step_avg:{context.trained*1000/step:.2f}ms",
        )


@style
class llmc(Style):
    source = "karpathy/llm.c train_gpt2.cu:1318,1728,1872"
    log_every = 1
    startup = (
        "+-----------------------+----------------------------------------------------+",
        "| Parameter             | Value                                              |",
        "| max_steps             | 19560                                              |",
        "num_parameters: 124475904 => bytes: 248951808",
        "allocated 237 MiB for model parameters",
        "=> setting grad_accum_steps=1",
    )

    def evaluate(self, begin, end, step, context):
        self.writer.line(end, f"val loss {context.loss:f}")

    def save(self, begin, end, step, context):
        self.writer.line(begin, f"Writing checkpoint at step {step}")
        self.writer.line(begin, f"Writing model to log124M/model_{step:08d}.bin")

    def log(self, context):
        self.writer.line(
            context.at,
            "step %4d/%d | loss %7.6f (%+.2fz)| norm %6.4f (%+.2fz)| lr %.2e | %.2f ms | %.1f%% bf16 MFU | %.0f tok/s"
            % (
                context.step,
                context.steps,
                context.loss,
                0.3,
                context.grad_norm,
                -0.2,
                context.lr,
                context.took * 1000,
                42.1,
                524288 / context.took,
            ),
        )

    def end(self, at):
        self.writer.line(at, "total average iteration time: %f ms" % (self.job.mean * 1000))


@style
class nanochat(Style):
    source = "karpathy/nanochat scripts/base_train.py:427,567; checkpoint_manager.py:47"
    counts_from = 0
    log_every = 1
    evaluates_first = True
    startup = (
        "Autodetected device type: cuda",
        "Vocab size: 65,536",
        'Model config:\n{\n  "n_layer": 20\n}',
        "Parameter counts:\ntotal                   : 560,988,160",
        "Calculated number of iterations from target data:param ratio: 21,400",
    )

    def restore(self, begin, end, resumed):
        self.writer.line(begin, f"Resuming optimization from step {resumed}")
        self.writer.line(
            begin,
            written(begin, "%Y-%m-%d %H:%M:%S,000")
            + f" - nanochat.checkpoint_manager - INFO - Loading model from base_checkpoints/d20 with step {resumed}",
        )

    def evaluate(self, begin, end, step, context):
        self.writer.line(end, f"Step {step:05d} | Validation bpb: {context.loss/3:.6f}")

    def save(self, begin, end, step, context):
        for i, x in enumerate(
            (
                "model parameters to: base_checkpoints/d20/model",
                "metadata to: base_checkpoints/d20/meta",
                "optimizer state to: base_checkpoints/d20/optim",
            )
        ):
            self.writer.line(
                begin + (end - begin) * (i + 1) / 3,
                written(end) + f",123 - nanochat.checkpoint_manager - INFO - Saved {x}_{step:06d}.pt",
            )

    def log(self, context):
        self.writer.line(
            context.at,
            f"step {context.printed:05d}/{context.steps:05d} ({100*context.printed/context.steps:.2f}%) | loss: {context.loss:.6f} | lrm: 1.00 | dt: {context.took*1000:.2f}ms | tok/sec: {int(524288/context.took):,} | bf16_mfu: 47.92 | epoch: 1 | total time: {context.trained/60:.2f}m | eta: {(context.steps-context.step)*self.job.mean/60:.1f}m",
        )


def olmo_number(number):
    if number < 0.0001:
        return str(number)
    return (
        f"{int(number):,d}"
        if number > 1000
        else (
            f"{number:.1f}"
            if number > 100
            else f"{number:.2f}" if number > 10 else f"{number:.3f}" if number > 1 else f"{number:.4f}"
        )
    )


@style
class olmo(Style):
    source = "allenai/OLMo olmo/train.py:964-995,1018,1042,1245,1271"
    startup = ("loading config",)

    def say(self, at, message, file="olmo.train", line=980):
        self.writer.line(at, f"{written(at)}.{millis(at)}\tjupiter-cs-aus-133:0\t{file}:{line}\tINFO\t{message}")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "CLI environment prepared", "train", 300)

    def restore(self, begin, end, resumed):
        self.say(begin, f"Loading checkpoint from /ckpt/step{resumed}...", "train", 211)
        self.say(end, "Checkpoint loaded", "train", 222)

    def begin(self, at, resumed):
        self.say(at, "Starting training...", "train", 240)

    def log(self, context):
        self.say(
            context.at,
            f"[step={context.step}/{context.steps},epoch={context.epoch}]\n    optim/total_grad_norm={olmo_number(context.grad_norm)}\n    train/CrossEntropyLoss={olmo_number(context.loss)}\n    train/Perplexity={olmo_number(math.exp(context.loss))}\n    throughput/total_tokens={context.step*4194304:,d}\n    throughput/device/tokens_per_second={olmo_number(4194304/context.took/256)}\n    throughput/device/batches_per_second={olmo_number(1/context.took)}\n    System/Peak GPU Memory (MB)=42,018",
        )

    def save(self, begin, end, step, context):
        self.say(begin, "Saving checkpoint...")
        self.say(end, f"Checkpoint saved to /ckpt/step{step}")

    def evaluate(self, begin, end, step, context):
        self.say(begin, "Running evaluation for 'all-small-ppl-validation'...")
        for i in range(1, 6):
            self.say(begin + (end - begin) * i / 6, f"[eval_step={i*10}/50]")
        self.say(end, f"Speed stats\n    eval/c4_en-validation/CrossEntropyLoss={context.loss:.3f}")


@style
class olmo_core(Style):
    source = "allenai/OLMo-core callbacks/console_logger.py; train/trainer.py:836,902,970,990; evaluator_callback.py:134,178,215"
    logs_first_step = True
    startup = ("init",)

    def say(self, at, message, file="olmo_core.train.trainer", line=719):
        self.writer.line(at, f"{written(at)}.{millis(at)}\tjupiter-cs-aus-133:0\t{file}:{line}\tINFO\t{message}")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "Callback order:")

    def restore(self, begin, end, resumed):
        self.say(begin, f"Loading checkpoint from '/ckpt/step{resumed}'...")
        self.say(end, f"Will resume training from step {resumed}, epoch 1")
        self.say(end, "Checkpoint successfully loaded")

    def begin(self, at, resumed):
        self.say(at, f"Training for {self.job.steps:,d} steps")
        self.say(at, "Starting forward/backward dry-run batch...")
        self.say(at + 0.3, "Dry-run complete")
        self.say(at + 0.4, "Starting epoch 1...")

    def log(self, context):
        self.say(
            context.at,
            f"[step={context.step}/{context.steps},epoch=1,eta={clock((context.steps-context.step)*self.job.mean)}]\n    train/CE loss={olmo_number(context.loss)}\n    train/PPL={olmo_number(math.exp(context.loss))}\n    optim/total grad norm={olmo_number(context.grad_norm)}\n    optim/LR (group 0)={olmo_number(context.lr)}\n    throughput/total tokens={context.step*524288:,d}\n    throughput/device/TPS={olmo_number(65536/context.took)}\n    throughput/device/BPS={olmo_number(1/context.took)}\n    gpu_memory/GPU active mem (GiB)=41.20",
            "olmo_core.train.callbacks.console_logger",
            71,
        )

    def save(self, begin, end, step, context):
        self.say(begin, f"Saving checkpoint for step {step} to '/ckpt/step{step}'...")
        self.say(end, "Checkpoint saved")

    def evaluate(self, begin, end, step, context):
        self.say(begin, "Running lm_eval evals...")
        for i in range(1, 6):
            self.say(begin + (end - begin) * i / 6, f"[eval=lm_eval,step={i*5}/25]")
        self.say(end, f"Finished lm_eval evals in {end-begin:.1f} seconds. Metrics:\n    c4/CE loss={context.loss:.3f}")


def short(number):
    if abs(number) < 1:
        return "%.3g" % number
    number = float("%.3g" % number)
    power = 0
    while abs(number) >= 1000:
        number /= 1000
        power += 1
    return ("%f" % number).rstrip("0").rstrip(".") + ["", "K", "M", "B", "T", "P"][power]


@style
class nanotron(Style):
    source = "huggingface/nanotron src/nanotron/trainer.py:773-786,1257; logging/base.py; issue #390"
    log_every = 1
    startup = ("init",)

    def say(self, at, message, level="INFO"):
        self.writer.line(at, f'\x1b[2;3m{written(at,"%m/%d %H:%M:%S")} [{level}|DP=0|PP=0|TP=0]\x1b[0m: {message}')

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "Config:")

    def restore(self, begin, end, resumed):
        self.say(begin, f"Loading weights from /ckpt/{resumed}")

    def begin(self, at, resumed):
        self.say(at, "[Start training] ")
        self.say(
            at,
            f"mbs: 4 | grad_accum: 8 | cp: 1 | sequence_length: 4096 | global_batch_size: 64 | train_steps: {self.job.steps} | start_iteration_step: {resumed} | consumed_tokens_total: {resumed*262144}",
        )

    def log(self, context):
        self.say(
            context.at,
            f"iteration: {context.step} / {context.steps} | consumed_tokens: {short(context.step*262144)} | time_per_iteration_ms: {short(context.took*1000)} | tokens_per_sec: {short(262144/context.took)} | tokens_per_sec_per_gpu: {short(32768/context.took)} | global_batch_size: 262K | grad_norm: {short(context.grad_norm)} | lm_loss: {short(context.loss)} | lr: {short(context.lr)} | model_tflops_per_gpu: 38.3 | eta: {clock((context.steps-context.step)*context.took)}",
        )

    def save(self, begin, end, step, context):
        self.say(begin, f"Saving checkpoint at /ckpt/{step}", "WARNING")
        self.writer.raw(begin, "\rSaving weights: 100%|██████████| 205/205 [00:03<00:00, 62.11it/s]\n", "e")


@style
class litgpt_pretrain(Style):
    source = "Lightning-AI/litgpt litgpt/pretrain.py:236,390,409,502"
    evaluates_first = True
    startup = (
        '{"data": ...}',
        "Time to instantiate model: 0.04 seconds.",
        "Total parameters: 162,322,944",
        "Verifying settings ...",
        "Measured TFLOPs: 26.21",
    )

    def restore(self, begin, end, resumed):
        self.writer.line(begin, f"Resuming training from out/pretrain/step-{resumed:08d}/lit_model.pth")

    def begin(self, at, resumed):
        self.validation = "n/a"

    def log(self, context):
        self.writer.line(
            context.at,
            f"Epoch {context.epoch+1} | iter {context.step} step {context.step} | loss train: {context.loss:.3f}, val: {self.validation} | iter time: {context.took*1000:.2f} ms (step) remaining time: {clock((context.steps-context.step)*self.job.mean)}",
        )

    def evaluate(self, begin, end, step, context):
        self.validation = f"{context.loss:.3f}"
        self.writer.line(begin, "Validating ...")
        self.writer.line(end, f"iter {step}: val loss {context.loss:.4f}, val time: {(end-begin)*1000:.2f} ms")

    def save(self, begin, end, step, context):
        self.writer.line(begin, f"Saving checkpoint to 'out/pretrain/step-{step:08d}/lit_model.pth'")


@style
class litgpt_lora(Style):
    source = "Lightning-AI/litgpt litgpt/finetune/lora.py:395,418"
    logs_first_step = False
    never_saves = True
    log_every = 1
    counts_from = 1
    startup = (
        "Seed set to 1337",
        "Number of trainable parameters: 3,506,176",
        "The longest sequence length in the train data is 512",
        "Verifying settings ...",
    )

    def begin(self, at, resumed):
        self.validation = "n/a"

    def log(self, context):
        self.writer.line(
            context.at,
            f'Epoch {context.epoch+1} | iter {context.step} step {context.step//4} | loss train: {context.loss:.3f}, val: {self.validation} | iter time: {context.took*1000:.2f} ms{" (step)" if context.step%4==0 else ""}',
        )

    def evaluate(self, begin, end, step, context):
        self.validation = f"{context.loss:.3f}"
        self.writer.line(begin, "Validating ...")
        self.writer.line(end, f"iter {step}: val loss {context.loss:.4f}, val time: {(end-begin)*1000:.2f} ms")


@style
class torchtune_bar(Style):
    source = "pytorch/torchtune recipes/full_finetune_distributed.py:972,1070"
    evaluates = False
    by_epoch = True
    log_every = 1
    startup = (
        "INFO:torchtune.utils._logging:Running FullFinetuneRecipeDistributed with resolved config:",
        "INFO:torchtune.utils._logging:Instantiating model and loading checkpoint took 9.11 secs",
        "INFO:torchtune.utils._logging:Optimizer is initialized.",
        "INFO:torchtune.utils._logging:Loss is initialized.",
    )

    def begin(self, at, resumed):
        self.bar = None

    def step(self, context):
        if self.bar is None or context.index == 1:
            if self.bar:
                self.bar.close(context.at - context.took)
            self.bar = Bar(self.writer, context.at - context.took, self.job.epoch_steps, context.index - 1)
        self.bar.update(context.at)
        self.bar.desc = f"{context.epoch+1}|{context.step}|Loss: {context.loss}"
        self.bar.show(context.at, True)

    def save(self, begin, end, step, context):
        self.writer.line(
            begin,
            "INFO:torchtune.utils._logging:Saving checkpoint. This may take some time. Retrieving full model state dict...",
        )
        self.writer.line(end, f"INFO:torchtune.utils._logging:Checkpoint saved in {end-begin:.2f} seconds.")


@style
class torchtune_stdout(torchtune_bar):
    source = "pytorch/torchtune training/metric_logging.py StdoutLogger + bar"
    log_every = 10

    def log(self, context):
        self.writer.line(
            context.at,
            f"Step {context.step} | loss:{context.loss} lr:{context.lr} tokens_per_second_per_gpu:{8192/context.alone} peak_memory_active:20.1 ",
        )


@style
class composer(Style):
    source = "mosaicml/composer loggers/console_logger.py (llm-foundry log_to_console)"
    logs_first_step = True
    startup = (
        "Initializing model...",
        "n_params=1.32e+09",
        "Building train loader...",
        "Building trainer...",
        "******************************",
        "Config:",
        "variables:\n  run_name: mpt",
        "******************************",
        "Starting training...",
    )

    def restore(self, begin, end, resumed):
        self.writer.line(begin, f"INFO: composer.utils.checkpoint: Loading checkpoint at ep0-ba{resumed}-rank0.pt", "e")

    def log(self, context):
        self.writer.line(
            context.at,
            f"[batch={context.step}/{context.steps}]:\n\t Train time/epoch: 0\n\t Train time/batch: {context.printed-1}\n\t Train time/sample: {context.step*256}\n\t Train time/token: {context.step*524288}\n\t Train loss/train/total: {context.loss:.4f}\n\t Train metrics/train/LanguagePerplexity: {math.exp(context.loss):.4f}\n\t Train throughput/batches_per_sec: {1/context.took:.4f}\n\t Train throughput/samples_per_sec: {256/context.took:.4f}\n\t Train time/train: {context.trained/3600:.4f}\n\t Train time/val: 0.0000\n\t Train time/total: {context.trained/3600:.4f}\n\t Train lr-DecoupledAdamW/group0: {context.lr:.4f}\n\t Train time/remaining_estimate: 0.2",
        )

    def evaluate(self, begin, end, step, context):
        for i in range(1, 10):
            self.writer.line(begin + (end - begin) * i / 10, f"[Eval batch={i*3}/30] Eval on eval data")
        self.writer.line(
            end, f"[Eval batch=30/30] Eval on eval data:\n\t Eval metrics/eval/LanguageCrossEntropy: {context.loss:.4f}"
        )
