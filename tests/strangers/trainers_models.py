"""Logs of trainers of language models, splats, cells and word vectors, written with those of trainers_latest."""

from job import Bar, Style, clock, millis, style, written


@style
class libai(Style):
    source = "Oneflow-Inc/libai libai/utils/events.py CommonMetricPrinter"
    startup = ("[05/01 10:00:00 libai]: Rank of current process: 0. World size: 8",)

    def say(self, at, logger, message):
        self.writer.line(at, f'\x1b[32m[{written(at,"%m/%d %H:%M:%S")} {logger}]: \x1b[0m{message}')

    def restore(self, begin, end, resumed):
        self.say(begin, "lb.utils.checkpoint", f"Loading checkpoint from output/model_{resumed-1:07d}")

    def begin(self, at, resumed):
        self.say(at, "lb.engine.trainer", f"Starting training from iteration {resumed}")

    def log(self, context):
        each = context.trained / (context.step - context.resumed)
        self.say(
            context.at,
            "lb.utils.events",
            f" eta: {clock((context.steps-context.step)*each)}  iteration: {context.step-1}/{context.steps}  consumed_samples: {context.step*64}  total_loss: {context.loss:.4g}  lm_loss: {context.loss:.4g}  time: {each:.4f} s/iter  data_time: 0.0012 s/iter total_throughput: {64/each:.2f} samples/s lr: {context.lr:.2e}  ",
        )

    def save(self, begin, end, step, context):
        self.say(begin, "lb.utils.checkpoint", f"Saving checkpoint to output/model_{step-1:07d}")

    def evaluate(self, begin, end, step, context):
        self.say(begin, "lb.engine.default", f"with eval_iter 1000.0, reset total samples 5000 to 1000")
        self.say(begin, "lb.evaluation.evaluator", "Start inference on 1000 samples")
        for i in range(1, 5):
            self.say(begin + (end - begin) * i / 5, "lb.evaluation.evaluator", f"Inference done {i*200}/1000. Dataloading: 0.0011 s/iter. Inference: 0.0501 s/iter. Eval: 0.0002 s/iter. Total: 0.0515 s/iter. ETA=0:00:20")
        self.say(end, "lb.evaluation.evaluator", "Total inference time: 0:00:30.1 (0.0501 s / iter per device, on 8 devices)")


@style
class skrl(Style):
    source = "Toni-SM/skrl skrl/trainers/torch/sequential.py (tqdm over timesteps)"
    log_every = 1
    evaluates = False
    startup = ("[skrl:INFO] Environment wrapper: Isaac Lab", "[skrl:INFO] Seed: 42")

    def begin(self, at, resumed):
        self.bar = Bar(self.writer, at, self.job.steps, initial=resumed)

    def step(self, context):
        self.bar.update(context.at)

    def end(self, at):
        self.bar.close(at)


@style
class gsplat(Style):
    source = "nerfstudio-project/gsplat examples/simple_trainer.py Runner.train (tqdm from init_step)"
    log_every = 1
    startup = ("[Parser] 194 images, taken by 1 cameras.", "Scene scale: 1.42", "Model initialized. Number of GS: 138766")

    def begin(self, at, resumed):
        self.bar = Bar(self.writer, at, self.job.steps, initial=resumed)

    def step(self, context):
        self.bar.desc = f"loss={context.loss:.3f}| sh degree={min(3, context.step//1000)}| "
        self.bar.update(context.at)

    def save(self, begin, end, step, context):
        self.writer.line(begin, f"Step:  {step} {{'mem': 3.12, 'ellipse_time': {begin-self.writer.started}, 'num_GS': 1200312}}")

    def evaluate(self, begin, end, step, context):
        self.writer.line(begin, "Running evaluation...")
        self.writer.line(end, "PSNR: 26.312, SSIM: 0.8123, LPIPS: 0.141 Time: 0.012s/image Number of GS: 1200312")


@style
class scvi(Style):
    source = "scverse/scvi-tools train/_progress.py ProgressBar (tqdm over epochs; an epoch is a step here)"
    log_every = 1
    evaluates = False
    never_saves = True
    startup = ("GPU available: True (cuda), used: True", "TPU available: False, using: 0 TPU cores")

    def begin(self, at, resumed):
        self.bar = Bar(self.writer, at, self.job.steps, initial=resumed)

    def step(self, context):
        self.bar.desc = f"Epoch {context.step}/{self.job.steps}"
        self.bar.update(context.at, postfix=f"v_num=1, train_loss={context.loss:.3g}")

    def end(self, at):
        self.bar.close(at)


@style
class mindspore(Style):
    source = "mindspore-ai/mindspore train/callback/_loss_monitor.py, _time_monitor.py"
    by_epoch = True
    evaluates = False
    startup = ("[WARNING] ME(140:281473,MainProcess):2024-05-01-10:00:00.123.456 [mindspore/train/model.py:1234] For LossMonitor callback",)

    def begin(self, at, resumed):
        self.epoch_began = at

    def log(self, context):
        self.writer.line(context.at, f"epoch: {context.epoch+1} step: {context.index}, loss is {context.loss}")

    def save(self, begin, end, step, context):
        took = (begin - self.epoch_began) * 1000
        self.writer.line(begin, f"Train epoch time: {took:5.3f} ms, per step time: {took/self.job.epoch_steps:5.3f} ms")
        self.epoch_began = end


@style
class gensim(Style):
    source = "RaRe-Technologies/gensim models/word2vec.py _log_progress, _log_epoch_end: words a second, no step"
    by_epoch = True
    evaluates = False
    never_saves = True
    startup = ("2024-05-01 10:00:00,123 : INFO : collecting all words and their counts",)

    def say(self, at, message):
        self.writer.line(at, f"{written(at)},{millis(at)} : INFO : {message}", "e")

    def log(self, context):
        self.say(context.at, f"EPOCH {context.epoch} - PROGRESS: at {100*context.index/self.job.epoch_steps:.2f}% examples, {int(120000/context.took)} words/s, in_qsize 15, out_qsize 0")
        if context.index == self.job.epoch_steps:
            self.say(context.at, f"EPOCH {context.epoch}: training on 17005207 raw words (12506280 effective words) took {self.job.epoch_steps*self.job.mean:.1f}s, 812312 effective words/s")
