"""Logs of trainers of language models on many devices: Megatron, DeepSpeed, torchtitan, fairseq."""

import json
import math

from job import Style, millis, style, written


@style
class megatron(Style):
    source = "NVIDIA/Megatron-LM megatron/training/training.py:3567-3641, checkpointing.py:1085"
    startup = (
        "using world size: 8, data-parallel size: 8",
        "> initializing torch distributed ...",
        "[after model, optimizer, and learning rate scheduler are built] datetime: 2025-10-09 12:00:00 ",
        "> building train, validation, and test datasets ...",
        "training ...",
    )

    def restore(self, begin, end, resumed):
        self.writer.line(begin, f" loading checkpoint from /ckpt at iteration {resumed}")
        self.writer.line(end, f"  successfully loaded checkpoint from /ckpt [ t 1/1, p 1/1 ] at iteration {resumed}")

    def begin(self, at, resumed):
        self.writer.line(at, f"[before the start of training step] datetime: {written(at)} ")

    def log(self, context):
        self.writer.line(
            context.at,
            f" [{written(context.at)}.{millis(context.at)}000] iteration {context.step:8d}/{context.steps:8d} | consumed samples: {context.step*256:12d} | elapsed time per iteration (ms): {context.seconds/context.count*1000:.1f} | throughput per GPU (TFLOP/s/GPU): 310.1 | learning rate: {context.lr:.6E} | global batch size:   256 | lm loss: {context.loss:.6E} | loss scale: 1.0 | grad norm: {context.grad_norm:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |",
        )

    def save(self, begin, end, step, context):
        self.writer.line(begin, f"saving checkpoint at iteration {step:7d} to /ckpt in torch_dist format")
        self.writer.line(
            end,
            f"  [{written(end)}.{millis(end)}000] successfully saved checkpoint from iteration {step:7d} to /ckpt [ t 1/1, gtp_remat 1/1, p 1/1 ]",
        )

    def evaluate(self, begin, end, step, context):
        for i in range(1, 11):
            self.writer.line(begin + (end - begin) * i / 11, f"Evaluating iter {i}/10")
        message = f" validation loss at iteration {step} | lm loss value: {context.loss:.6E} | lm loss PPL: {math.exp(context.loss):.6E} | "
        self.writer.line(end, "-" * len(message))
        self.writer.line(end, message)
        self.writer.line(end, "-" * len(message))


@style
class gpt_neox(Style):
    source = "EleutherAI/gpt-neox megatron/logging.py:197-320; DeepSpeed issue #3742"
    startup = ("NeoX models built", "> building GPT2 model ...", "done with setups ...", "training ...")

    def say(self, at, message, file="logging.py:96:log_dist"):
        self.writer.line(at, f"[{written(at)},{millis(at)}] [INFO] [{file}] {message}")

    def restore(self, begin, end, resumed):
        self.say(
            begin,
            f"[Torch] Loading checkpoint from /ckpt/global_step{resumed}/mp_rank_00_model_states.pt...",
            "torch_checkpoint_engine.py:27:load",
        )
        self.writer.line(end, f" > validated currently set args with arguments in the checkpoint ...")

    def log(self, context):
        self.say(
            context.at,
            f"[Rank 0] step={context.step}, skipped=0, lr=[{context.lr}, {context.lr}], mom=[[0.9, 0.95], [0.9, 0.95]]",
        )
        self.say(
            context.at,
            f"epoch=0/micro_step={context.step}/global_step={context.step}, RunningAvgSamplesPerSec={32/self.job.mean}, CurrSamplesPerSec={32/context.alone}, MemAllocated=59.65GB, MaxMemAllocated=63.31GB",
            "timer.py:215:stop",
        )
        self.writer.line(
            context.at,
            f" samples/sec: {32*context.count/context.seconds:.3f} | iteration {context.step:8d}/{context.steps:8d} | elapsed time per iteration (ms): {context.seconds/context.count*1000:.1f} | learning rate: {context.lr:.3E} | approx flops per GPU: 112.9TFLOPS | lm_loss: {context.loss:.6E} | number of skipped iterations:   0 | number of nan iterations:   0 |",
        )

    def save(self, begin, end, step, context):
        self.say(
            begin,
            f"[Torch] Saving /ckpt/global_step{step}/mp_rank_00_model_states.pt...",
            "torch_checkpoint_engine.py:21:save",
        )
        self.say(end, f"[Torch] Checkpoint global_step{step} is ready now!", "torch_checkpoint_engine.py:33:commit")

    def evaluate(self, begin, end, step, context):
        self.writer.line(end, "-" * 80)
        self.writer.line(
            end,
            f" validation results at iteration {step} | lm_loss value: {context.loss:.6E} | lm_loss_ppl value: {math.exp(context.loss):.6E} | ",
        )
        self.writer.line(end, "-" * 80)


@style
class deepspeed(gpt_neox):
    source = "deepspeedai/DeepSpeed issues #1825, #3742 (step=.. log_dist + timer)"
    startup = (
        "[2025-10-09 12:00:01,123] [INFO] [comm.py:637:init_distributed] cdb=None",
        "[2025-10-09 12:00:10,123] [INFO] [config.py:984:print] DeepSpeedEngine configuration:",
    )
    log_every = 10

    def log(self, context):
        self.say(context.at, f"[Rank 0] step={context.step}, skipped=0, lr=[{context.lr}], mom=[[0.9, 0.999]]")
        self.say(
            context.at,
            f"epoch=0/micro_step={context.step}/global_step={context.step}, RunningAvgSamplesPerSec={32/self.job.mean}, CurrSamplesPerSec={32/context.alone}, MemAllocated=0.26GB, MaxMemAllocated=9.02GB",
            "timer.py:215:stop",
        )

    def evaluate(self, begin, end, step, context):
        self.writer.line(begin, "***** Evaluating perplexity, Epoch 1/4 *****")
        self.writer.line(end, f"ppl: {math.exp(context.loss)}")


@style
class torchtitan(Style):
    source = "pytorch/torchtitan components/metrics.py:527, tools/logging.py; trainer.py:1022; PR #1287,#3393"
    logs_first_step = True
    evaluates = False
    startup = ("init",)

    def say(self, at, message):
        self.writer.line(at, f"[rank0]:[titan] {written(at)},{millis(at)} - root - INFO - {message}")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "Starting job: Llama 3 8B training")

    def restore(self, begin, end, resumed):
        self.say(begin, f"Loading the checkpoint from ./outputs/checkpoint/step-{resumed}.")
        self.say(end, f"Finished loading the checkpoint in {end-begin:.2f} seconds.")

    def begin(self, at, resumed):
        self.say(at, f"Training starts at step {resumed+1}")

    def log(self, context):
        self.say(
            context.at,
            f"\x1b[31mstep: {context.step:2}  \x1b[32mloss: {context.loss:8.5f}  \x1b[38;2;180;60;0mgrad_norm: {context.grad_norm:7.4f}  \x1b[38;2;54;234;195mmemory: 49.66GiB(52.28%)  \x1b[34mtps: {round(8192*context.count/context.since_log):,}  \x1b[36mtflops: 339.16  \x1b[35mmfu: 34.29%\x1b[39m",
        )

    def save(self, begin, end, step, context):
        self.say(begin, "Saving the checkpoint (or staging if async is enabled).")
        self.say(end, f"Finished saving the checkpoint (or staging if async is enabled)in {end-begin:.2f} seconds.")

    def end(self, at):
        self.say(at, "Training completed")


@style
class fairseq(Style):
    source = "facebookresearch/fairseq logging/progress_bar.py SimpleProgressBar, checkpoint_utils.py:64,144; fairseq_cli/train.py:17; apollo issue #4"
    by_epoch = True
    evaluates_first = True
    startup = ("init",)

    def say(self, at, logger, message):
        self.writer.line(at, f"{written(at)} | INFO | {logger} | {message}")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "fairseq_cli.train", "task: TranslationTask")

    def restore(self, begin, end, resumed):
        self.say(begin, "fairseq.trainer", "Preparing to load checkpoint checkpoints/checkpoint_last.pt")
        self.say(
            end,
            "fairseq.trainer",
            f"Loaded checkpoint checkpoints/checkpoint_last.pt (epoch {resumed//self.job.epoch_steps+1} @ {resumed} updates)",
        )

    def step(self, context):
        if context.index == 1 or context.step == context.resumed + 1:
            self.say(context.at - context.took, "fairseq.trainer", f"begin training epoch {context.epoch+1}")
            self.say(context.at - context.took, "fairseq_cli.train", "Start iterating over samples")

    def stats(self, context):
        return dict(
            loss=f"{context.loss:.3f}",
            nll_loss=f"{context.loss-1:.3f}",
            ppl=f"{2**context.loss:.2f}",
            wps=f"{60000*context.count/context.since_log:.1f}",
            ups=f"{context.count/context.since_log:.2f}",
            wpb="60897.9",
            bsz="1977.7",
            num_updates=str(context.step),
            lr=f"{context.lr:.6g}",
            gnorm=f"{context.grad_norm:.3f}",
            train_wall=f"{context.seconds:.0f}",
            wall=f"{context.at-self.writer.started:.0f}",
        )

    def log(self, context):
        self.say(
            context.at,
            "train_inner",
            "epoch %03d:  %5d / %d " % (context.epoch + 1, context.index, self.job.epoch_steps)
            + ", ".join(f"{name}={value}" for name, value in self.stats(context).items()),
        )

    def evaluate(self, begin, end, step, context):
        self.say(begin, "fairseq_cli.train", 'begin validation on "valid" subset')
        self.say(
            end,
            "valid",
            f"epoch {context.epoch+1:03d} | valid on 'valid' subset | loss {context.loss:.3f} | nll_loss 2.1 | ppl 4.3 | wps 203001 | wpb 2000 | bsz 60 | num_updates {step}",
        )

    def save(self, begin, end, step, context):
        self.say(
            begin,
            "fairseq.checkpoint_utils",
            f"Preparing to save checkpoint for epoch {context.epoch+1} @ {step} updates",
        )
        self.say(begin, "fairseq.trainer", f"Saving checkpoint to /ckpt/checkpoint{context.epoch+1}.pt")
        self.say(end, "fairseq.trainer", f"Finished saving checkpoint to /ckpt/checkpoint{context.epoch+1}.pt")
        self.say(
            end,
            "fairseq.checkpoint_utils",
            f"Saved checkpoint checkpoints/checkpoint{context.epoch+1}.pt (epoch {context.epoch+1} @ {step} updates, score {context.loss:.3f}) (writing took {end-begin} seconds)",
        )
        self.say(end, "fairseq_cli.train", f"end of epoch {context.epoch+1} (average epoch stats below)")
        self.say(
            end,
            "train",
            f"epoch {context.epoch+1:03d} | loss {context.loss:.3f} | ups 2.1 | num_updates {step} | train_wall 123 | wall 456",
        )


@style
class metaseq(Style):
    source = "facebookresearch/metaseq json_progress_bar.py:49, trainer.py:426-448; issue/PR #507"
    startup = ("init",)

    def say(self, at, logger, message):
        self.writer.line(at, f"{written(at)} | INFO | {logger} | {message}")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "metaseq.cli.train", "task: StreamingLanguageModelingTask")

    def restore(self, begin, end, resumed):
        self.say(begin, "metaseq.trainer", "attempting to load checkpoint from: /ckpt/checkpoint_last.pt")
        self.say(end, "metaseq.trainer", "Loaded state for /ckpt/checkpoint_last.pt")

    def begin(self, at, resumed):
        self.say(at, "metaseq.cli.train", "Start iterating over samples")

    def log(self, context):
        self.say(
            context.at,
            "train_inner",
            json.dumps(
                dict(
                    epoch=1,
                    actv_norm="0.035",
                    loss=f"{context.loss:.3f}",
                    ppl=f"{2**context.loss:.1f}",
                    wps=f"{1048580*context.count/context.since_log:.0f}",
                    ups=f"{context.count/context.since_log:.2f}",
                    wpb="1.04858e+06",
                    bsz="512",
                    num_updates=str(context.step),
                    lr=f"{context.lr:.6g}",
                    gnorm=f"{context.grad_norm:.3f}",
                    clip="100",
                    train_wall=f"{context.seconds:.0f}",
                    cuda_gb_allocated="19.7",
                    wall=f"{context.at-self.writer.started:.0f}",
                )
            ),
        )

    def save(self, begin, end, step, context):
        self.say(begin, "metaseq.checkpoint_utils", f"Preparing to save checkpoint for epoch 1 @ {step} updates")
        self.say(begin, "metaseq.trainer", f"Saving checkpoint to /ckpt/checkpoint_{step}.pt")
        self.say(end, "metaseq.trainer", f"Finished saving checkpoint to /ckpt/checkpoint_{step}.pt")

    def evaluate(self, begin, end, step, context):
        self.say(begin, "metaseq.cli.train", 'begin validation on "valid" subset')
        self.say(end, "valid", json.dumps(dict(epoch=1, valid_loss=f"{context.loss:.3f}", valid_num_updates=str(step))))


@style
class fairseq2(Style):
    source = "facebookresearch/fairseq2 metrics/recorders/log.py:75, trainer.py:374-406,754-800; recipe/internal/logging.py:71"
    startup = ("init",)

    def say(self, at, message):
        self.writer.line(at, f"[Rank 0] {written(at)} INFO fairseq2 - {message}")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "Log files stored under /out/logs.")

    def restore(self, begin, end, resumed):
        self.say(begin, f"Restoring training from the last checkpoint at step {resumed}.")
        self.say(begin, "Restoring model state.")
        self.say(end, f"Training restored. Resuming from step {resumed}.")

    def begin(self, at, resumed):
        self.say(at, "Running training on 8 device(s).")

    def log(self, context):
        self.say(
            context.at,
            f"Train Metrics (step {context.step}) - Loss: {context.loss:.6g} | NLL Loss: {context.loss:.6g} | Gradient Norm: {context.grad_norm:.6g} | Learning Rate: {context.lr:.6g} | Number of Examples: 64 | Elements per Second (EPS): {int(60000*context.count/context.since_log)} | Wall Time: {int(context.at-self.writer.started)}s | Elapsed Time: {int(context.since_log)}s",
        )

    def save(self, begin, end, step, context):
        self.say(begin, f"Preparing checkpoint at step {step}.")
        self.say(begin + 0.2, "Checkpoint prepared. Saving.")
        self.say(end, f"Checkpoint at step {step} saved.")

    def evaluate(self, begin, end, step, context):
        self.say(begin, f"Starting validation after step {step}.")
        self.say(end, f"Validation Metrics (step {step}) - Loss: {context.loss:.4f} | Elapsed Time: {int(end-begin)}s")
        self.say(end, "Validation finished.")
