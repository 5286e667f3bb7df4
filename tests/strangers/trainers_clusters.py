"""Trainers that run on many machines, from their public sources; written before any was tried."""

from job import Style, absl, clock, millis, style, written


@style
class paxml(Style):
    source = "google/paxml paxml/programs.py:515 (steps/sec), 797, 881 (evaluation), summary_utils.py:918; executors.py"
    log_every = 100
    startup = ("init",)

    def say(self, at, file, line, message):
        self.writer.line(at, absl(at, file, line, message), "e")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "executors.py", 204, "[PAX STATUS]: Setting up partitioner")
        self.say(at + 1, "executors.py", 230, "[PAX STATUS]: Starting checkpoint load / variable init.")

    def begin(self, at, resumed):
        self.say(at, "executors.py", 341, f"Model initial global_step={resumed}")
        self.say(at, "executors.py", 348, "[PAX STATUS]: Starting training loop.")

    def log(self, context):
        self.say(context.at, "programs.py", 515, f"steps/sec: {context.count / context.since_log:f}")
        self.say(context.at, "summary_utils.py", 918, f"[PAX STATUS] step_i: {context.step}, training loss: {context.loss:.7f}")
        self.say(context.at, "summary_utils.py", 922, "weighted_scalars: {'avg_xent': (2.34, 8192.0)}")

    def evaluate(self, begin, end, step, context):
        self.say(begin, "programs.py", 797, "Starting eval C4Eval with num_steps=10")
        self.say(end, "programs.py", 881, f"step: {step}, eval test C4Eval loss: {context.loss}")
        self.say(end, "programs.py", 840, "Finished eval on C4Eval")


@style
class swin(Style):
    source = "microsoft/Swin-Transformer main.py:222-231 (step, epoch), 271 (test); logger.py; utils.py:19, 145"
    by_epoch = True
    counts_from = 0
    log_every = 10
    startup = ("init",)

    def say(self, at, line, message, file="main.py"):
        self.writer.line(at, f"\x1b[32m[{written(at)} swin_tiny_patch4_window7_224]\x1b[0m\x1b[33m({file} {line})\x1b[0m: INFO {message}")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, 93, "Creating model:swin/swin_tiny_patch4_window7_224")
        self.say(at + 1, 98, "number of params: 28288354")

    def restore(self, begin, end, resumed):
        epoch = resumed // self.job.epoch_steps - 1
        self.say(begin, 19, f"==============> Resuming form output/ckpt_epoch_{epoch}.pth....................", "utils.py")
        self.say(end, 36, f"=> loaded successfully 'output/ckpt_epoch_{epoch}.pth' (epoch {epoch})", "utils.py")

    def begin(self, at, resumed):
        self.say(at, 153, "Start training")

    def step(self, context):
        if context.index == 1:
            self.began = context.at - context.took

    def log(self, context):
        took = context.alone
        self.say(
            context.at,
            222,
            f"Train: [{context.epoch}/{self.job.epochs}][{context.index - 1}/{self.job.epoch_steps}]\teta {clock(took * (self.job.epoch_steps - context.index))} lr {context.lr:.6f}\t wd 0.0500\t"
            f"time {took:.4f} ({(context.at - self.began) / context.index:.4f})\tloss {context.loss:.4f} ({context.loss:.4f})\tgrad_norm {context.grad_norm:.4f} (1.2345)\tloss_scale 65536.0000 (65536.0000)\tmem 12345MB",
        )

    def save(self, begin, end, step, context):
        self.say(begin, 231, f"EPOCH {context.epoch} training takes {clock(begin - self.began)}")
        self.say(begin, 145, f"output/ckpt_epoch_{context.epoch}.pth saving......", "utils.py")
        self.say(end, 147, f"output/ckpt_epoch_{context.epoch}.pth saved !!!", "utils.py")

    def evaluate(self, begin, end, step, context):
        for i in range(5):
            self.say(begin + (end - begin) * i / 5, 271, f"Test: [{i * 10}/50]\tTime 0.512 (0.612)\tLoss {context.loss:.4f} ({context.loss:.4f})\tAcc@1 71.123 (71.001)\tAcc@5 91.123 (91.001)\tMem 12345MB")
        self.say(end, 278, " * Acc@1 71.123 Acc@5 91.123")


@style
class sam2(Style):
    source = "facebookresearch/sam2 training/trainer.py (ProgressMeter, Resuming training from), utils/train_utils.py"
    by_epoch = True
    counts_from = 0
    log_every = 10
    startup = ("init",)

    def say(self, at, file, line, message):
        self.writer.line(at, f"INFO {written(at)},{millis(at)} {file}: {line:3d}: {message}")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "trainer.py", 1015, "Setting up components: Model, loss, optim, meters etc.")
        self.say(at + 1, "trainer.py", 205, "Moving components to device cuda:0 and local rank 0.")

    def restore(self, begin, end, resumed):
        self.say(begin, "trainer.py", 412, "Resuming training from /logs/checkpoints/checkpoint.pt")
        self.say(end, "trainer.py", 493, f"Resuming training from epoch: {resumed // self.job.epoch_steps}")

    def meter(self, at, phase, epoch, index, total, took, loss):
        width = len(str(total))
        self.say(
            at,
            "train_utils.py",
            271,
            f"{phase} Epoch: [{epoch}][{index:{width}d}/{total}] | Batch Time: {took:.2f} ({took:.2f}) | Data Time: 0.01 (0.02) | Mem (GB): 21.00 (20.51/22.00) | "
            f"Time Elapsed: 00d 00h 12m | Losses/{phase.lower()}_all_loss: {loss:.2e} ({loss:.2e})",
        )

    def log(self, context):
        self.meter(context.at, "Train", context.epoch, context.index - 1, self.job.epoch_steps, context.alone, context.loss)

    def evaluate(self, begin, end, step, context):
        for i in range(5):
            self.meter(begin + (end - begin) * i / 5, "Val", context.epoch, i * 10, 50, 0.5, context.loss)
        self.say(end, "trainer.py", 940, "Synchronizing meters")


@style
class mindformers(Style):
    source = "mindspore-lab/mindformers mindformers/core/callback/callback.py:485, 510; tools/logger.py"
    log_every = 1
    evaluates = False
    startup = ("init",)

    def say(self, at, line, message):
        path = "mindformers/core/callback/callback.py"
        self.writer.line(at, f"{written(at)},{millis(at)} - {path}[mindformers/core/callback/callback.py:{line}] - INFO - {message}")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, 80, ".........Build context config..........")

    def log(self, context):
        share = 100 * context.step / self.job.steps
        self.say(
            context.at,
            485,
            f"{{ Epoch:[{context.epoch + 1:3d}/{self.job.epochs:3d}], step:[{context.index:5d}/{self.job.epoch_steps:5d}], loss: {context.loss:5.3f}, "
            f"per_step_time: {int(context.took * 1000)}ms, lr: {context.lr}, overflow cond: False, loss_scale: 65536.0, global_norm: [1.2], train_throughput_per_npu: 123.456T",
        )
        self.say(context.at, 510, f"  {share:4.1f}% {'|%-50s|' % ('█' * int(share / 2))} {8 / context.took:.5f} samples/s/p  0:12:34 }}")

    def save(self, begin, end, step, context):
        self.say(begin, 700, "......Saving ckpt......")


@style
class megatron_deepspeed(Style):
    source = "microsoft/Megatron-DeepSpeed megatron/training.py (log_string), checkpointing.py, training.py evaluate_and_print_results"
    startup = ("using world size: 64, data-parallel-size: 8", "> initialized tensor model parallel with size 8", "> building GPT2BPETokenizer tokenizer ...")

    def restore(self, begin, end, resumed):
        self.writer.line(begin, " loading checkpoint from ckpt")
        self.writer.line(end, f"  successfully loaded checkpoint from ckpt at iteration {resumed}")

    def begin(self, at, resumed):
        self.writer.line(at, f"[before the start of training step] datetime: {written(at)} ")

    def log(self, context):
        took = context.since_log / context.count
        self.writer.line(
            context.at,
            f" iteration {context.step:8d}/{self.job.steps:8d} | consumed samples: {context.step * 256:12d} | consumed tokens: {context.step * 524288:12d} | "
            f"elapsed time per iteration (ms): {took * 1000:.1f} | learning rate: {context.lr:.3E} | global batch size:   256 | lm loss: {context.loss:.6E} | "
            f"loss scale: 1.0 | grad norm: {context.grad_norm:.3f} | actual seqlen:  2048 | number of skipped iterations:   0 | number of nan iterations:   0 | "
            f"samples per second: {256 / took:.3f} | tokens per gpu per second (tgs): {8192 / took:.3f} | TFLOPs: 45.67 |",
        )

    def save(self, begin, end, step, context):
        self.writer.line(begin, f"saving checkpoint at iteration {step:7d} to ckpt")
        self.writer.line(end, f"  successfully saved checkpoint at iteration {step:7d} to ckpt")

    def evaluate(self, begin, end, step, context):
        text = f" validation loss at iteration {step} | lm loss value: {context.loss:.6E} | lm loss PPL: 1.234567E+01 | "
        self.writer.line(end, "-" * len(text) + "\n" + text + "\n" + "-" * len(text))


@style
class internevo(Style):
    source = "InternLM/InternEvo internlm/train/pipeline.py:553-598, checkpoint:588; utils/logger.py"
    counts_from = 0
    log_every = 1
    evaluates = False
    startup = ("init",)

    def say(self, at, where, message):
        self.writer.line(at, f"{written(at)},{millis(at)}\tINFO {where} -- {message}", "e")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "launch.py:409 in launch", "Distributed environment is initialized, data parallel size: 8")

    def log(self, context):
        self.say(
            context.at,
            "pipeline.py:598 in record_current_batch_training_metrics",
            f"tflops={183.2 / context.took} step={context.printed} loss={context.loss} tgs (tokens/gpu/second)={4096 / context.took:.2f} tgs/last_tgs_1=4000.1 tgs/tgs_all=3999.2 "
            f"lr={context.lr} loss_scale=65536.0 grad_norm={{'0_default': {context.grad_norm}}} micro_num=4 num_consumed_tokens={context.step * 131072} inf_nan_skip_batches=0 "
            f"num_samples_in_batch=14 largest_length=2048 largest_batch=5 smallest_batch=3 adam_beta2=0.95 fwd_bwd_time={context.took * 0.9:.2f} acc=0.31 perplexity=12.1 ",
        )

    def save(self, begin, end, step, context):
        self.say(begin, "checkpoint_manager.py:588 in save_checkpoint", f"Saving checkpoint to `local:ckpts/{step}` at batch count:{step}...")


@style
class picotron(Style):
    source = "huggingface/picotron train.py:248-258"
    log_every = 1
    evaluates = False
    startup = ("rank 0: Initializing model meta device", "rank 0: Model loaded")

    def log(self, context):
        self.writer.line(
            context.at,
            f"[rank 0] Step: {context.step:<5d} | Loss: {context.loss:6.4f} | Global batch size: {'1.05M':>7s} | Tokens/s: {1048 / context.took:6.1f}K | Tokens/s/GPU:   1.5K | "
            f"Tokens: {context.step * 1.05:6.1f}M | MFU: 38.21% | Memory usage:  45.32GB",
        )


@style
class automodel(Style):
    source = "NVIDIA-NeMo/Automodel nemo_automodel/recipes/llm/train_ft.py:1512 (validation), 1567 (step)"
    counts_from = 0
    log_every = 1
    startup = ("init",)

    def say(self, at, message):
        self.writer.line(at, f"{written(at)} | INFO | nemo_automodel.recipes.llm.train_ft | {message}", "e")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "World size: 8")

    def log(self, context):
        self.say(
            context.at,
            f"step {context.printed} | epoch {context.epoch} | loss {context.loss:.4f} | grad_norm {context.grad_norm:.4f} | lr {context.lr:.2e} | mem 45.12 GiB | "
            f"tps {65536 / context.took:.2f}({8192 / context.took:.2f}/gpu) | num_label_tokens 65536",
        )

    def evaluate(self, begin, end, step, context):
        self.say(end, f'[val] name "default" | step {context.printed} | epoch {context.epoch} | loss {context.loss:.4f} | lr {context.lr:.2e} | num_label_tokens 4096')

    def save(self, begin, end, step, context):
        self.say(begin, f"Saving checkpoint to checkpoints/epoch_{context.epoch}_step_{context.printed}")


def brief(seconds):
    """As prime-rl writes a time."""
    if seconds < 1:
        return f"{seconds * 1000:.0f}ms"
    return f"{seconds:.2f}s" if seconds < 60 else f"{int(seconds // 60)}m {int(seconds % 60)}s"


@style
class prime_rl(Style):
    source = "PrimeIntellect-ai/prime-rl src/prime_rl/trainer/sft/train.py:395 (validation), 607 (step); utils/logger.py"
    counts_from = 0
    log_every = 1
    startup = ("init",)

    def say(self, at, level, message):
        self.writer.line(at, f"\x1b[2m{written(at, '%H:%M:%S')}\x1b[0m \x1b[32m\x1b[1m{level:>7}\x1b[0m {message}")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "INFO", "Starting SFT trainer in World(world_size=8, rank=0)")

    def log(self, context):
        self.say(
            context.at,
            "SUCCESS",
            f"Step {context.printed} | {brief(context.took):>7} | Loss {context.loss:.4f} | Grad. Norm {context.grad_norm:.4f} | LR {context.lr:.2e} | "
            f"Throughput {65536 / context.took:.0f} tokens/s | MFU 38.2% | Peak Mem. 45.1/79.1 GiB (57.0%)",
        )

    def evaluate(self, begin, end, step, context):
        self.say(end, "SUCCESS", f"Validation | Step {step} | Loss {context.loss:.4f}")

    def save(self, begin, end, step, context):
        self.say(begin, "INFO", f"Saving checkpoint at step {step}")


@style
class areal(Style):
    source = "inclusionAI/AReaL areal/utils/stats_logger.py:139-160; utils/logging.py LOG_FORMAT"
    log_every = 1
    shortest_step = 2
    evaluates = False
    startup = ("init",)

    def say(self, at, message):
        self.writer.line(at, f"\x1b[1;38;2;180;140;80m(AReaL)\x1b[0m \x1b[92m{written(at, '%Y%m%d-%H:%M:%S')}.{millis(at)} StatsLogger INFO: {message}\x1b[0m", "e")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "Launching trainer")

    def log(self, context):
        self.say(
            context.at,
            f"Epoch {context.epoch + 1}/{self.job.epochs} Step {context.index}/{self.job.epoch_steps} Train step {context.step}/{self.job.steps} done.",
        )
        self.say(context.at, "Stats (1/1):")
        names = {"ppo_actor/update/actor_loss/avg": context.loss / 1000, "ppo_actor/update/grad_norm": context.grad_norm, "timeperf/rollout": context.took * 0.6, "ppo_actor/task_reward/avg": 0.41}
        rows = "\n".join(f"│ {name:<40} │ {value:.4e} │" for name, value in names.items())
        self.say(context.at, f"\n┌{'─' * 42}┬────────────┐\n{rows}\n└{'─' * 42}┴────────────┘")


@style
class slime(Style):
    source = "THUDM/slime slime/backends/megatron_utils/model.py:918 (step), ray/rollout.py (rollout, perf)"
    counts_from = 0
    log_every = 1
    shortest_step = 2
    evaluates = False
    startup = ("[2025-11-21 02:00:00] rollout.py:967 - Router launched at 10.0.0.1:3000",)

    def log(self, context):
        self.writer.line(
            context.at - context.alone * 0.4,
            f"[{written(context.at - context.alone * 0.4)}] rollout.py:1201 - perf {context.printed}: {{'rollout/response_len/mean': 812.3, 'perf/rollout_time': {context.alone * 0.6:.3f}, 'perf/tokens_per_gpu_per_sec': 812.1}}",
        )
        self.writer.line(
            context.at,
            f"\x1b[36m(MegatronTrainRayActor pid=1234)\x1b[0m [{written(context.at)}] model.py:918 - step {context.printed}: {{'train/loss': {context.loss / 1000}, 'train/pg_loss': {context.loss / 1000}, "
            f"'train/entropy_loss': 0.31, 'train/grad_norm': {context.grad_norm}, 'train/lr-pg_0': 1e-06, 'train/step': {context.printed}}}",
        )
