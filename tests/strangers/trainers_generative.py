"""Trainers of images, video and sound, from their public sources; written before any was tried."""

from job import Bar, Style, clock, millis, style, written


@style
class dit(Style):
    source = "facebookresearch/DiT train.py:215 (step), 231 (save); create_logger()"
    startup = ("init",)

    def say(self, at, message):
        self.writer.line(at, f"[\x1b[34m{written(at)}\x1b[0m] {message}")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "Experiment directory created at results/000-DiT-XL-2")
        self.say(at + 1, "DiT Parameters: 675,129,632")
        self.say(at + 1, "Dataset contains 1,281,167 images (/data/imagenet/train)")

    def begin(self, at, resumed):
        self.say(at, "Training for 1400 epochs...")
        self.say(at, f"Beginning epoch {resumed // self.job.epoch_steps}...")

    def step(self, context):
        if context.index == 1 and context.epoch > 0:
            self.say(context.at - context.took, f"Beginning epoch {context.epoch}...")

    def log(self, context):
        rate = context.count / context.since_log
        self.say(context.at, f"(step={context.step:07d}) Train Loss: {context.loss:.4f}, Train Steps/Sec: {rate:.2f}")

    def save(self, begin, end, step, context):
        self.say(end, f"Saved checkpoint to results/000-DiT-XL-2/checkpoints/{step:07d}.pt")


@style
class edm(Style):
    source = "NVlabs/edm training/training_loop.py (fields of the status line, Loading training state)"
    log_every = 1
    shortest_step = 2
    evaluates = False
    startup = ("Loading dataset...", "Constructing network...", "Setting up optimizer...")

    def attempt(self, writer, at, resumed):
        self.writer, self.started = writer, at

    def restore(self, begin, end, resumed):
        self.writer.line(begin, f'Loading training state from "runs/00000-cifar10/training-state-{resumed * 50:06d}.pt"...')

    def begin(self, at, resumed):
        self.writer.line(at, "Training for 200000 kimg...")
        self.writer.line(at, "")

    def tick(self, at, tick, kimg, seconds):
        self.writer.line(
            at,
            f"tick {tick:<5d} kimg {kimg:<9.1f} time {clock(at - self.started):<12s} sec/tick {seconds:<7.1f} sec/kimg {seconds / 50:<7.2f} "
            f"maintenance {0.1:<6.1f} cpumem {3.41:<6.2f} gpumem {12.01:<6.2f} reserved {13.2:<6.2f}",
        )

    def log(self, context):
        if context.step == context.resumed + 1:
            self.tick(context.at - context.alone, 0, context.resumed * 50 + 0.5, 5)
        self.tick(context.at, context.step - context.resumed, context.step * 50 + 0.5, context.since_log)


@style
class guided_diffusion(Style):
    source = "openai/guided-diffusion train_util.py:165-180 (dumpkvs), 222 (saving model), logger.py HumanOutputFormat"
    counts_from = 0
    evaluates = False
    startup = ("Logging to /tmp/openai-2025-11-21-02-00-00-000000", "creating model and diffusion...", "creating data loader...", "training...")

    def restore(self, begin, end, resumed):
        self.writer.line(begin, f"loading model from checkpoint: models/model{resumed:06d}.pt...")
        self.writer.line(end, f"loading optimizer state from checkpoint: models/opt{resumed:06d}.pt")

    def log(self, context):
        values = {"grad_norm": context.grad_norm, "loss": context.loss, "loss_q0": context.loss * 2, "loss_q3": context.loss / 2}
        values.update(mse=context.loss, param_norm=161.2, samples=(context.printed + 1) * 256, step=context.printed)
        rows = "".join(f"| {key:<10} | {value:<8.3g} |\n" for key, value in sorted(values.items()))
        rule = "-" * 25
        self.writer.line(context.at, f"{rule}\n{rows}{rule}")

    def save(self, begin, end, step, context):
        self.writer.line(begin, "saving model 0...")
        self.writer.line(end, "saving model 0.9999...")


@style
class repa(Style):
    source = "sihyun-yu/REPA train.py:258 (bar), 339 (save), 365 (postfix)"
    log_every = 1
    evaluates = False
    startup = ("[\x1b[34m2025-11-21 02:00:00\x1b[0m] Experiment directory created at exps/linear-dinov2-b", "SiT Parameters: 675,129,632")

    def begin(self, at, resumed):
        self.bar = Bar(self.writer, at, self.job.steps, resumed, desc="Steps")

    def step(self, context):
        self.bar.update(context.at, 1, f"grad_norm={context.grad_norm:.3g}, loss={context.loss:.3g}, proj_loss=-0.512")

    def save(self, begin, end, step, context):
        self.writer.line(end, f"[\x1b[34m{written(end)}\x1b[0m] Saved checkpoint to exps/linear-dinov2-b/checkpoints/{step:07d}.pt")


@style
class open_sora(Style):
    source = "hpcaitech/Open-Sora scripts/diffusion/train.py:509 (epoch), 512 (bar), 564 (postfix), 629 (save)"
    log_every = 1
    evaluates = False
    startup = ("init",)

    def say(self, at, message):
        self.writer.line(at, f"[{written(at)}] {message}")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "Building models...")
        self.say(at + 1, "Preparing for distributed training...")

    def restore(self, begin, end, resumed):
        self.say(begin, f"Loading checkpoint from outputs/epoch{resumed // self.job.epoch_steps}-global_step{resumed}")

    def begin(self, at, resumed):
        self.say(at, f"Training for {self.job.epochs} epochs with {self.job.epoch_steps} steps per epoch")
        self.begin_epoch(at, resumed // self.job.epoch_steps, resumed % self.job.epoch_steps)

    def begin_epoch(self, at, epoch, initial):
        self.say(at, f"Beginning epoch {epoch}...")
        self.bar = Bar(self.writer, at, self.job.epoch_steps, initial, desc=f"Epoch {epoch}")

    def step(self, context):
        if context.index == 1 and context.step > context.resumed + 1:
            self.bar.close(context.at - context.took)
            self.begin_epoch(context.at - context.took, context.epoch, 0)
        index = context.index - 1
        postfix = f"loss={context.loss:.3g}, global_grad_norm={context.grad_norm:.3g}, step={index}, global_step={context.step - 1}, lr={context.lr:.3g}"
        self.bar.update(context.at, 1, postfix)

    def save(self, begin, end, step, context):
        self.say(end, f"Saved checkpoint at epoch {context.epoch}, step {context.index}, global_step {step} to outputs/epoch{context.epoch}-global_step{step}")


@style
class denoising_diffusion(Style):
    source = "lucidrains/denoising-diffusion-pytorch denoising_diffusion_pytorch.py:1055 (bar), 1072 (description)"
    log_every = 1
    evaluates = False
    startup = ("loading model",)

    def begin(self, at, resumed):
        self.bar = Bar(self.writer, at, self.job.steps, resumed)

    def step(self, context):
        self.bar.desc = f"loss: {context.loss / 90:.4f}"
        self.bar.update(context.at)

    def end(self, at):
        self.bar.close(at)
        self.writer.line(at, "training complete")


@style
class k_diffusion(Style):
    source = "crowsonkb/k-diffusion train.py (tqdm over train_dl, tqdm.write of Epoch, Saving to, Sampling)"
    log_every = 25
    startup = ("Using device: cuda:0", "Parameters: 12,345,678", "Number of items in dataset: 50,000")

    def begin(self, at, resumed):
        self.bar = Bar(self.writer, at, self.job.epoch_steps)
        self.bar.position = resumed % self.job.epoch_steps

    def step(self, context):
        if context.index == 1 and context.step > context.resumed + 1:
            self.bar.close(context.at - context.took)
            self.bar = Bar(self.writer, context.at - context.took, self.job.epoch_steps)
        self.bar.update(context.at)

    def write(self, at, text):
        self.writer.raw(at, "\r" + " " * 70 + "\r", "e")
        self.writer.line(at, text)
        self.bar.show(at, True)

    def restore(self, begin, end, resumed):
        self.writer.line(begin, f"Resuming from model_{resumed:08d}.pth...")

    def log(self, context):
        self.write(context.at, f"Epoch: {context.epoch}, step: {context.printed}, loss: {context.loss:g}, avg loss: {context.loss:g}")

    def save(self, begin, end, step, context):
        self.write(begin, f"Saving to model_{step:08d}.pth...")

    def evaluate(self, begin, end, step, context):
        self.write(begin, "Evaluating...")
        self.writer.line(end, "FID: 12.3412, KID: 0.00412")


@style
class styletts2(Style):
    source = "yl4579/StyleTTS2 train_second.py:544 (step), 562, 678-680 (validation), 773 (save)"
    by_epoch = True
    log_every = 10
    startup = ("BERT AdamW (", "decoder AdamW (")

    def log(self, context):
        self.writer.line(
            context.at,
            f"INFO:train_second:Epoch [{context.epoch + 1}/{self.job.epochs}], Step [{context.index}/{self.job.epoch_steps}], Loss: {context.loss:.5f}, "
            "Disc Loss: 3.91234, Dur Loss: 0.41234, CE Loss: 0.01234, Norm Loss: 0.31234, F0 Loss: 1.21234, LM Loss: 0.91234, Gen Loss: 5.1",
        )
        self.writer.line(context.at, f"Time elasped: {context.at - self.writer.started}")

    def evaluate(self, begin, end, step, context):
        self.writer.line(end, f"Epochs: {context.epoch + 1}")
        self.writer.line(end, f"INFO:train_second:Validation loss: {context.loss:.3f}, Dur loss: 0.412, F0 loss: 1.201\n\n\n")

    def save(self, begin, end, step, context):
        self.writer.line(begin, "Saving..")


@style
class f5_tts(Style):
    source = "SWivid/F5-TTS src/f5_tts/model/trainer.py:164 (save), 355 (bar), 392 (postfix)"
    log_every = 1
    evaluates = False
    startup = ("vocab :  2545", "vocoder :  vocos", "Using logger: None")

    def begin(self, at, resumed):
        self.begin_epoch(at, resumed // self.job.epoch_steps, resumed % self.job.epoch_steps)

    def begin_epoch(self, at, epoch, initial):
        self.bar = Bar(self.writer, at, self.job.epoch_steps, initial, desc=f"Epoch {epoch + 1}/{self.job.epochs}", unit="update")

    def step(self, context):
        if context.index == 1 and context.step > context.resumed + 1:
            self.bar.close(context.at - context.took)
            self.begin_epoch(context.at - context.took, context.epoch, 0)
        self.bar.update(context.at, 1, f"loss={context.loss:.3g}, update={context.step}")

    def save(self, begin, end, step, context):
        self.writer.line(end, f"Saved last checkpoint at update {step}")


@style
class audiocraft(Style):
    source = "facebookresearch/audiocraft audiocraft/solvers/base.py:531, utils/checkpoint.py:101; flashy logging.py; dora/log.py"
    by_epoch = True
    counts_from = 0
    log_every = 20
    startup = ("init",)

    def say(self, at, message, of="solver"):
        self.writer.line(at, f"[\x1b[36m{written(at, '%m-%d %H:%M:%S')}\x1b[0m][\x1b[34mflashy.{of}\x1b[0m][\x1b[32mINFO\x1b[0m] - {message}")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "Instantiating solver MusicGenSolver for XP 9521b0af")
        self.say(at + 1, "Model size: 420.37 M params")

    def log(self, context):
        if context.index < 3:
            return
        name = f"Train | Epoch {context.epoch + 1} | {context.index - 1}/{self.job.epoch_steps}"
        self.say(context.at, f"{name} | {context.index / context.trained:.2f} it/sec | ce {context.loss:.3f} | ppl 123.121 | grad_norm {context.grad_norm:.3E} | lr {context.lr:.2E}")

    def evaluate(self, begin, end, step, context):
        self.say(begin, f"\x1b[1mTrain Summary | Epoch {context.epoch + 1} | ce={context.loss:.3f} | ppl=123.121\x1b[0m")
        for i in range(1, 5):
            self.say(begin + (end - begin) * i / 5, f"Valid | Epoch {context.epoch + 1} | {i * 10}/50 | 4.12 it/sec | ce {context.loss:.3f} | ppl 121.123")
        self.say(end, f"\x1b[1mValid Summary | Epoch {context.epoch + 1} | ce={context.loss:.3f} | ppl=121.123\x1b[0m")

    def save(self, begin, end, step, context):
        self.writer.line(end, f"[{written(end, '%m-%d %H:%M:%S')}][audiocraft.utils.checkpoint][INFO] - Checkpoint saved to /tmp/xps/9521b0af/checkpoint.th")


@style
class waveglow(Style):
    source = "NVIDIA/waveglow train.py:48 (restore), 53 (save), 118 (epoch), 141 (step)"
    counts_from = 0
    log_every = 1
    evaluates = False
    startup = ("output directory checkpoints",)

    def restore(self, begin, end, resumed):
        self.writer.line(end, f"Loaded checkpoint 'checkpoints/waveglow_{resumed}' (iteration {resumed})")

    def step(self, context):
        if context.index == 1 or context.step == context.resumed + 1:
            self.writer.line(context.at - context.took, f"Epoch: {context.epoch}")

    def log(self, context):
        self.writer.line(context.at, f"{context.printed}:\t{-context.loss:.9f}")

    def save(self, begin, end, step, context):
        self.writer.line(begin, f"Saving model and optimizer state at iteration {step} to checkpoints/waveglow_{step}")


@style
class basicsr(Style):
    source = "XPixelGroup/BasicSR basicsr/utils/logger.py:89-115 (step), train.py:127 (restore), 185 (save); models/sr_model.py"
    log_every = 100
    startup = ("init",)

    def say(self, at, message):
        self.writer.line(at, f"{written(at)},{millis(at)} INFO: {message}")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "Dataset [PairedImageDataset] - DIV2K is built.")

    def restore(self, begin, end, resumed):
        self.say(end, f"Resuming training from epoch: {resumed // self.job.epoch_steps}, iter: {resumed}.")

    def begin(self, at, resumed):
        self.say(at, f"Start training from epoch: {resumed // self.job.epoch_steps}, iter: {resumed}")

    def log(self, context):
        self.say(
            context.at,
            f"[001_M..][epoch:{context.epoch:3d}, iter:{context.step:8,d}, lr:({context.lr:.3e},)] [eta: 1 day, 2:03:04, "
            f"time (data): {context.seconds / context.count:.3f} (0.003)] l_pix: {context.loss / 90:.4e} ",
        )

    def save(self, begin, end, step, context):
        self.say(begin, "Saving models and training states.")

    def evaluate(self, begin, end, step, context):
        self.say(end, f"Validation Set5\n\t # psnr: 31.1234\tBest: 31.2000 @ {step} iter\n")


@style
class fastpitch(Style):
    source = "NVIDIA/DeepLearningExamples PyTorch/SpeechSynthesis/FastPitch train.py:507, 533, 543; common/tb_dllogger.py"
    by_epoch = True
    log_every = 10
    startup = ("DLL 2025-11-21 02:00:00.123456 - PARAMETER num_gpus : 8 ",)

    def say(self, at, message):
        self.writer.line(at, f"DLL {written(at)}.{millis(at)}000 - {message} ")

    def log(self, context):
        took = context.seconds / context.count
        self.say(
            context.at,
            f"epoch {context.epoch + 1:>4} | iter {context.index:>3}/{self.job.epoch_steps} | loss {context.loss:>5.2f} | mel loss  1.21 | kl loss 0.00312 | "
            f"kl weight 0.000 | {12345 / took:>10.2f} frames/s | took {took:>5.2f} s | lrate {context.lr:.2e}",
        )

    def evaluate(self, begin, end, step, context):
        self.say(begin, f"epoch {context.epoch + 1:>4} | avg train loss {context.loss:>5.2f} | avg train mel loss  1.21 | 12345.12 frames/s | took 123.45 s")
        self.say(end, f"epoch {context.epoch + 1:>4} | avg val loss {context.loss:>5.2f} | avg val mel loss  1.21 | 12345.12 frames/s | took {end - begin:>5.2f} s")

    def save(self, begin, end, step, context):
        self.writer.line(begin, f"Saving checkpoint (epoch {context.epoch + 1}) to output/FastPitch_checkpoint_{context.epoch + 1}.pt")


@style
class yolov7(Style):
    source = "WongKinYiu/yolov7 train.py:332 (header), 334 (bar), 386 (description); test.py:100"
    by_epoch = True
    log_every = 1
    startup = ("autoanchor: Analyzing anchors... anchors/target = 4.26", "Image sizes 640 train, 640 test", "Starting training for 300 epochs...")

    def step(self, context):
        if context.index == 1:
            at = context.at - context.took
            self.writer.line(at, ("\n" + "%10s" * 8) % ("Epoch", "gpu_mem", "box", "obj", "cls", "total", "labels", "img_size"), "e")
            self.bar = Bar(self.writer, at, self.job.epoch_steps)
        place = "%g/%g" % (context.epoch, self.job.epochs - 1)
        self.bar.desc = ("%10s" * 2 + "%10.4g" * 6) % (place, "12.3G", 0.041, 0.021, 0.012, context.loss, 24, 640)
        self.bar.update(context.at)
        if context.index == self.job.epoch_steps:
            self.bar.close(context.at)

    def evaluate(self, begin, end, step, context):
        head = ("%20s" + "%12s" * 6) % ("Class", "Images", "Labels", "P", "R", "mAP@.5", "mAP@.5:.95")
        bar = Bar(self.writer, begin, 40, desc=head)
        for i in range(40):
            bar.update(begin + (end - begin) * (i + 1) / 40)
        bar.close(end)
        self.writer.line(end, ("%20s" + "%12i" * 2 + "%12.3g" * 4) % ("all", 5000, 36335, 0.61, 0.51, 0.54, 0.36))
