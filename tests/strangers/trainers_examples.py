"""Logs of Keras, of PyTorch's examples and of research code that began as one of them."""

import math

from job import Style, clock, hms, style, written


@style
class keras_v1(Style):
    source = "Keras 3 Progbar verbose=1 (keras/src/utils/progbar.py); keras-team issues"
    evaluates_first = True
    by_epoch = True
    log_every = 1
    startup = (
        "2025-10-09 12:00:00.1: I tensorflow/core/platform/cpu_feature_guard.cc:210] This TensorFlow binary is optimized",
        'Model: "sequential"',
    )

    def begin(self, at, resumed):
        self.last = 0

    def step(self, context):
        if context.index == 1 or context.step == context.resumed + 1:
            self.writer.line(context.at - context.took, f"Epoch {context.epoch+1}/{self.job.epochs}")
            self.epoch_started = context.at - context.took
        if context.at - self.last < 0.1 and context.index < self.job.epoch_steps:
            return
        self.last = context.at
        digits = len(str(self.job.epoch_steps))
        filled = int(20 * context.index / self.job.epoch_steps)
        each = (context.at - self.epoch_started) / context.index
        pace = f"{each:.0f}s/step" if each >= 1 else f"{each*1000:.0f}ms/step"
        last = context.index == self.job.epoch_steps
        elapsed = context.at - self.epoch_started if last else each * (self.job.epoch_steps - context.index)
        text = f'\x1b[1m{context.index:{digits}d}/{self.job.epoch_steps}\x1b[0m \x1b[32m{"━"*filled}\x1b[0m\x1b[37m{"━"*(20-filled)}\x1b[0m \x1b[1m{hms(elapsed) if elapsed>60 else "%ds"%elapsed}\x1b[0m {pace} - accuracy: 0.5 - loss: {context.loss:.4f}'
        self.writer.raw(context.at, "\r" + text, "o")
        if last:
            self.text = text

    def evaluate(self, begin, end, step, context):
        self.writer.raw(end, "\r" + self.text + f" - val_accuracy: 0.51 - val_loss: {context.loss:.4f}\n", "o")

    def save(self, begin, end, step, context):
        self.writer.line(begin, f"\nEpoch {context.epoch+1}: saving model to ckpt/{context.epoch+1:02d}.keras")


@style
class keras_v2(Style):
    source = 'Keras verbose=2: keras-complex issue #22 "1079/1079 - 21s - loss: 0.2431 - 21s/epoch - 19ms/step"'
    evaluates_first = True
    by_epoch = True
    log_every = 1
    startup = (
        "2025-10-09 12:00:00.1: I tensorflow/compiler/xla/stream_executor/cuda/cuda_dnn.cc:424] Loaded cuDNN version 8900",
    )

    def step(self, context):
        if context.index == 1 or context.step == context.resumed + 1:
            self.writer.line(context.at - context.took, f"Epoch {context.epoch+1}/{self.job.epochs}")
            self.epoch_started = context.at - context.took

    def evaluate(self, begin, end, step, context):
        elapsed = end - self.epoch_started
        self.writer.line(
            end,
            f"{self.job.epoch_steps}/{self.job.epoch_steps} - {elapsed:.0f}s - loss: {context.loss:.4f} - accuracy: 0.41 - val_loss: {context.loss:.4f} - val_accuracy: 0.4 - {elapsed:.0f}s/epoch - {elapsed/self.job.epoch_steps*1000:.0f}ms/step",
        )


@style
class open_clip(Style):
    source = "mlfoundations/open_clip legacy_train.py:226,322"
    by_epoch = True
    evaluates_first = True
    startup = ("init",)

    def say(self, at, message):
        self.writer.line(at, f'{written(at,"%Y-%m-%d,%H:%M:%S")} | INFO | {message}')

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(
            at,
            "Running in distributed mode with multiple processes. Device: cuda:0.Process (global: 0, local 0), total 8.",
        )

    def restore(self, begin, end, resumed):
        self.say(
            end,
            f"=> resuming checkpoint 'logs/epoch_{resumed//self.job.epoch_steps}.pt' (epoch {resumed//self.job.epoch_steps})",
        )

    def step(self, context):
        if context.index == 1 or context.step == context.resumed + 1:
            self.say(context.at - context.took, f"Start epoch {context.epoch}")

    def log(self, context):
        samples = self.job.epoch_steps * 2048
        self.say(
            context.at,
            f"Train Epoch: {context.epoch} [{context.index*2048:>{len(str(samples))}}/{samples} ({100*context.index/self.job.epoch_steps:.0f}%)] Data (t): 0.021 Batch (t): {context.seconds/context.count:.3f}, {2048*context.count/context.seconds:#g}/s, {256*context.count/context.seconds:#g}/s/gpu LR: {context.lr:5f} Logit Scale: 14.286 Contrastive_loss: {context.loss:#.5g} ({context.loss:#.5g}) Loss: {context.loss:#.5g} ({context.loss:#.5g})",
        )

    def evaluate(self, begin, end, step, context):
        self.say(begin, f"Eval Epoch: {context.epoch+1} [256 / 5000]\tClip Loss: {context.loss:.6f}\t")
        self.say(end, f"Eval Epoch: {context.epoch+1} clip_val_loss: {context.loss:.4f}\tepoch: {context.epoch+1}")


@style
class imagenet(Style):
    source = "pytorch/examples imagenet/main.py ProgressMeter"
    by_epoch = True
    evaluates_first = True
    startup = ("=> creating model 'resnet50'",)

    def restore(self, begin, end, resumed):
        self.writer.line(begin, "=> loading checkpoint 'checkpoint.pth.tar'")
        self.writer.line(end, f"=> loaded checkpoint 'checkpoint.pth.tar' (epoch {resumed//self.job.epoch_steps})")

    def log(self, context):
        digits = len(str(self.job.epoch_steps))
        self.writer.line(
            context.at,
            f"Epoch: [{context.epoch}][{context.index:{digits}d}/{self.job.epoch_steps}]\tTime {context.took:6.3f} ({self.job.mean:6.3f})\tData  0.000 ( 0.110)\tLoss {context.loss:.4e} ({context.loss:.4e})\tAcc@1   1.56 (  0.41)\tAcc@5   4.69 (  1.55)",
        )

    def evaluate(self, begin, end, step, context):
        for i in range(1, 11):
            self.writer.line(
                begin + (end - begin) * i / 11,
                f"Test: [{i*19:3d}/196]\tTime  0.201 ( 0.310)\tLoss {context.loss:.4e} ({context.loss:.4e})\tAcc@1  12.50 ( 10.11)\tAcc@5  31.25 ( 30.00)",
            )
        self.writer.line(end, " *   Acc@1 10.110 Acc@5 30.000")


@style
class mnist(Style):
    source = "pytorch/examples mnist/main.py:46,67"
    counts_from = 0
    by_epoch = True
    never_saves = True
    startup = ("Downloading http://yann.lecun.com/exdb/mnist/train-images-idx3-ubyte.gz",)

    def log(self, context):
        self.writer.line(
            context.at,
            f"Train Epoch: {context.epoch+1} [{(context.index-1)*64}/{self.job.epoch_steps*64} ({100*(context.index-1)/self.job.epoch_steps:.0f}%)]\tLoss: {context.loss:.6f}",
        )

    def evaluate(self, begin, end, step, context):
        self.writer.line(end, f"\nTest set: Average loss: {context.loss:.4f}, Accuracy: 9812/10000 (98%)\n")


@style
class word_lm(Style):
    source = "pytorch/examples word_language_model/main.py:201,230"
    by_epoch = True
    never_saves = True
    startup = ("Using device: cuda",)

    def begin(self, at, resumed):
        self.epoch_started = at

    def log(self, context):
        self.writer.line(
            context.at,
            "| epoch {:3d} | {:5d}/{:5d} batches | lr {:02.2f} | ms/batch {:5.2f} | loss {:5.2f} | ppl {:8.2f}".format(
                context.epoch + 1,
                context.index,
                self.job.epoch_steps,
                20,
                context.seconds * 1000 / context.log_every,
                context.loss,
                math.exp(context.loss),
            ),
        )

    def evaluate(self, begin, end, step, context):
        self.writer.line(end, "-" * 89)
        self.writer.line(
            end,
            "| end of epoch {:3d} | time: {:5.2f}s | valid loss {:5.2f} | valid ppl {:8.2f}".format(
                context.epoch + 1, end - self.epoch_started, context.loss, 99
            ),
        )
        self.writer.line(end, "-" * 89)
        self.epoch_started = end


@style
class lingua(Style):
    source = "facebookresearch/lingua apps/main/train.py:517, lingua/logger.py, checkpoint.py:222-292"
    startup = ("init",)

    def say(self, at, message):
        self.writer.line(
            at,
            f'0: INFO    {written(at,"%y-%m-%d %H:%M:%S")}.{int(at%1*1e6):06d} - {clock(at-self.writer.started)} - {message}',
        )

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "Starting job: lingua")

    def restore(self, begin, end, resumed):
        self.say(begin, "Reloading train state")
        self.say(end, "Model and optim reloaded")

    def log(self, context):
        self.say(
            context.at,
            f"step: {context.step}  acc: 0  loss: {round(context.loss,4):>7}  grad: {context.grad_norm:.2e}  flops: {4e14:.2e}  wps: {8192*context.count/context.since_log:.2e}  iter: {round(context.took,4):>7}  data: {0.0002:>5}  lr: {context.lr:.2e}  mem: 71%  pow: 412.1 W",
        )

    def save(self, begin, end, step, context):
        self.say(begin, f"Saving to: /dump/checkpoints/{step:010d}")
        self.say(begin, "Saving...")
        self.say(end, "State dict saved!")
        self.say(end, "Train state saved !")

    def evaluate(self, begin, end, step, context):
        self.say(begin, "Running validation on c4...")
        self.say(end, f"Validation on c4 done. Metrics: {{'nll': {context.loss}}}")


@style
class dinov2(Style):
    source = "facebookresearch/dinov2 dinov2/logging/helpers.py log_every, logging/__init__.py:48"
    counts_from = 0
    log_every = 10
    evaluates = False
    startup = ("init",)

    def say(self, at, message, file="helpers.py:102", logger="dinov2"):
        self.writer.line(at, f'I{written(at,"%Y%m%d %H:%M:%S")} 4711 {logger} {file}] {message}')

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "git:\n  sha: abc, status: clean, branch: main", "config.py:60")

    def restore(self, begin, end, resumed):
        self.say(
            begin,
            f"Loading from /out/model_{resumed-1:07d}.rank_0.pth ...",
            "checkpoint.py:150",
            "fvcore.common.checkpoint",
        )

    def begin(self, at, resumed):
        self.say(at, f"Starting training from iteration {resumed}", "train.py:217")

    def log(self, context):
        self.say(
            context.at,
            f"Training  [{context.printed:{len(str(context.steps))}d}/{context.steps}]  eta: {clock((context.steps-context.step)*self.job.mean)}  lr: {context.lr:.4f} ({context.lr:.4f})  total_loss: {context.loss:.4f} ({context.loss:.4f})  dino_local_crops_loss: 6.1 (6.2)  time: {context.took:.6f}  data: 0.001  max mem: 21111",
        )

    def save(self, begin, end, step, context):
        self.say(
            begin,
            f"Saving checkpoint to /out/model_{step-1:07d}.rank_0.pth",
            "checkpoint.py:126",
            "fvcore.common.checkpoint",
        )


@style
class mae(Style):
    source = "facebookresearch MAE/DETR MetricLogger; LLaMA2-Accessory issue #48"
    counts_from = 0
    by_epoch = True
    log_every = 20
    logs_epoch_end = True
    startup = ("| distributed init (rank 0): env://, gpu 0", "job dir: /app", "Start training for 10 epochs")

    def restore(self, begin, end, resumed):
        self.writer.line(begin, f"Resume checkpoint out/checkpoint-{resumed//self.job.epoch_steps-1}.pth")
        self.writer.line(end, "With optim & sched!")

    def log(self, context):
        self.writer.line(
            context.at,
            f'[{written(context.at,"%H:%M:%S")}.{int(context.at%1*1e6):06d}] Epoch: [{context.epoch}]  [{context.index-1:{len(str(self.job.epoch_steps))}d}/{self.job.epoch_steps}]  eta: {clock((self.job.epoch_steps-context.index)*self.job.mean)}  lr: {context.lr:.6f}  loss: {context.loss:.4f} ({context.loss:.4f})  time: {context.seconds/context.count:.4f}  data: 0.0001  max mem: 51710',
        )

    def evaluate(self, begin, end, step, context):
        for i in (0, 10, 20, 29):
            self.writer.line(
                begin + (end - begin) * i / 30,
                f"Test:  [{i:2d}/30]  eta: 0:00:10  loss: {context.loss:.4f} ({context.loss:.4f})  acc1: 71.1 (71.0)  time: 0.3 data: 0.1 max mem: 51710",
            )
        self.writer.line(end, "Test: Total time: 0:00:30 (0.3 s / it)")

    def save(self, begin, end, step, context):
        self.writer.line(
            begin,
            f"Epoch: [{context.epoch}] Total time: {clock(self.job.epoch_steps*self.job.mean)} ({self.job.mean:.4f} s / it)",
        )
