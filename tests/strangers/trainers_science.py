"""Trainers of speech, translation, tables and science, from their public sources; written before any was tried."""

from job import Bar, Style, absl, millis, style, written


@style
class opennmt_tf(Style):
    source = "OpenNMT/OpenNMT-tf opennmt/training.py:609 (step), evaluation.py:299, 365; utils/checkpoint.py"
    log_every = 100
    startup = ("init",)

    def say(self, at, file, line, message):
        self.writer.line(at, f"{written(at)}.{millis(at)}000: I {file}:{line}] {message}", "e")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "runner.py", 300, "Using OpenNMT-tf version 2.32.0")
        self.say(at + 1, "training.py", 254, "Number of model parameters: 93326081")

    def restore(self, begin, end, resumed):
        self.say(end, "checkpoint.py", 100, f"Restored checkpoint run/ckpt-{resumed}")

    def log(self, context):
        rate = context.count / context.since_log
        self.say(
            context.at,
            "training.py",
            176,
            f"Step = {context.step} ; steps/s = {rate:0.2f}, tokens/s = {int(rate * 25000)} ({int(rate * 12000)} source, {int(rate * 13000)} target) ; Learning rate = {context.lr:f} ; Loss = {context.loss:f}",
        )

    def save(self, begin, end, step, context):
        self.say(end, "checkpoint.py", 155, f"Saved checkpoint run/ckpt-{step}")

    def evaluate(self, begin, end, step, context):
        self.say(begin, "evaluation.py", 299, f"Running evaluation for step {step}")
        self.say(end, "evaluation.py", 365, f"Evaluation result for step {step}: loss = {context.loss:f} ; perplexity = 12.123456")


@style
class joeynmt(Style):
    source = "joeynmt/joeynmt joeynmt/training.py:176 (save), 388 (epoch), 506, 740 (step)"
    log_every = 100
    startup = ("init",)

    def say(self, at, message, of="joeynmt.training"):
        self.writer.line(at, f"{written(at)},{millis(at)} - INFO - {of} - {message}")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "Hello! This is Joey-NMT (version 2.3.0).", "root")
        self.say(at + 1, "Total params: 12345678", "joeynmt.helpers")

    def restore(self, begin, end, resumed):
        self.say(begin, f"Loading model from models/x/{resumed}.ckpt")

    def begin(self, at, resumed):
        self.say(at, f"EPOCH {resumed // self.job.epoch_steps + 1}")

    def log(self, context):
        self.say(
            context.at,
            "Epoch %3d, Step: %8d, Batch Loss: %12.6f, Batch Acc: %.6f, Tokens per Sec: %8.0f, Lr: %.6f"
            % (context.epoch + 1, context.step, context.loss, 0.512345, 12345.0 / context.alone, context.lr),
        )

    def save(self, begin, end, step, context):
        self.say(end, f"Checkpoint saved in models/x/{step}.ckpt.")

    def evaluate(self, begin, end, step, context):
        self.say(begin, "Predicting 1012 example(s)... (Greedy decoding with min_output_length=1, max_output_length=100)", "joeynmt.prediction")
        self.say(end, f"Evaluation result (greedy): bleu:  12.34, loss: {context.loss:6.2f}, ppl:  10.12, acc:   0.51, generation: {end - begin:.4f}[sec]", "joeynmt.prediction")


@style
class sockeye(Style):
    source = "awslabs/sockeye sockeye/training.py:318-321, 480 (checkpoint), 896-940 (Speedometer); log.py"
    log_every = 50
    startup = ("init",)

    def say(self, at, message, where="sockeye.training:__call__"):
        self.writer.line(at, f"[{written(at, '%Y-%m-%d:%H:%M:%S')}:INFO:{where}] {message}")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "Sockeye: 3.1.34, commit unknown, path sockeye", "sockeye.utils:log_sockeye_version")

    def restore(self, begin, end, resumed):
        self.say(end, f"Loaded params from \"model/training_state/params\"", "sockeye.model:load_parameters")

    def log(self, context):
        rate = context.count / context.since_log
        self.say(context.at, f"E={context.epoch} B={context.step}\ts/sec={rate * 64:.2f} tok/sec={rate * 4096:.2f} u/sec={rate:.2f}\tppl={context.loss:f} ")

    def save(self, begin, end, step, context):
        number = step // self.job.save_every
        self.say(begin, f"Checkpoint [{number}]\tUpdates={step} Epoch={context.epoch} Samples={step * 64} Time-cost=123.456 Updates/sec=1.234", "sockeye.training:_create_checkpoint")
        self.say(begin, f"Checkpoint [{number}]\tTrain-ppl={context.loss:f}", "sockeye.training:_create_checkpoint")
        self.say(end, f"Checkpoint [{number}]\tValidation-ppl={context.loss:f}", "sockeye.training:_evaluate")


@style
class paddlespeech(Style):
    source = "PaddlePaddle/PaddleSpeech paddlespeech/s2t/exps/u2/model.py:180-214 (step), 151-159 (validation)"
    by_epoch = True
    log_every = 10
    startup = ("init",)

    def say(self, at, message):
        self.writer.line(at, f"[{written(at)},{millis(at)}] [    INFO] - {message}", "e")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "Setup train/valid Dataloader!")

    def log(self, context):
        took = context.took
        self.say(
            context.at,
            f"Train: Rank: 0, epoch: {context.epoch}, step: {context.step}, lr: {context.lr:>.8f}, loss: {context.loss:>.8f}, att_loss: 1.21234567, ctc_loss: 3.12345678, "
            f"batch_size: 32, accum: 1, step_cost: {took:>.8f}, iter: {context.index}, total: {self.job.epoch_steps}, reader_cost: 0.00123456, batch_cost: {took:>.8f}, samples: 32, ips: {32 / took:>.8f} samples/s",
        )

    def evaluate(self, begin, end, step, context):
        for i in range(4):
            self.say(begin + (end - begin) * i / 4, f"Valid: Rank: 0, epoch: {context.epoch}, step: {step}, batch: {i * 10 + 10}/40, val_loss: {context.loss:>.6f}, val_history_loss: {context.loss:>.6f}")
        self.say(end, f"Epoch {context.epoch} Val info val_loss {context.loss}")

    def save(self, begin, end, step, context):
        self.say(end, f"Saved model to exp/u2/checkpoints/{context.epoch}.pdparams")


@style
class funasr(Style):
    source = "modelscope/FunASR funasr/train_utils/trainer_ds.py:195, 232 (save), 921-960 (step)"
    by_epoch = True
    log_every = 50
    startup = ("init",)

    def say(self, at, message):
        self.writer.line(at, f"[{written(at)},{millis(at)}][root][INFO] - {message}")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "Build model, frontend, tokenizer")

    def row(self, at, tag, context, index, total, step):
        self.say(
            at,
            f"{tag}, rank: 0, epoch: {context.epoch}/{self.job.epochs}, data_slice: 0/1, step_in_slice: {index}/{total}, step_in_epoch: {index}, total step: {step}, "
            f"(loss_avg_rank: {context.loss:.3f}), (loss_avg_slice: {context.loss:.3f}), (ppl_avg_slice: 1.234e+01), (acc_avg_slice: 0.512), (lr: {context.lr:.3e}), "
            f"[('loss_att', 1.234), ('acc', 0.512), ('loss', {context.loss:.3f})], {{'data_load': '0.001', 'forward_time': '0.123', 'backward_time': '0.212', 'optim_time': '0.031', 'total_time': '{context.took:.3f}'}}, "
            "GPU, memory: usage: 3.123 GB, peak: 41.123 GB, cache: 42.123 GB, cache_peak: 42.123 GB",
        )

    def log(self, context):
        self.row(context.at, "train", context, context.index, self.job.epoch_steps, context.step)

    def evaluate(self, begin, end, step, context):
        for i in range(1, 4):
            self.row(begin + (end - begin) * i / 4, "val", context, i * 50, 150, step)

    def save(self, begin, end, step, context):
        self.say(begin, f"Save checkpoint: {context.epoch}, rank: 0, local_rank: 0\n")
        self.say(end, f"\nCheckpoint saved to ./outputs/model.pt.ep{context.epoch}\n")


@style
class wespeaker(Style):
    source = "wenet-e2e/wespeaker wespeaker/utils/executor.py:81 (row), bin/train.py:229-232 (header)"
    by_epoch = True
    log_every = 100
    evaluates = False
    startup = ("init",)

    def say(self, at, message):
        self.writer.line(at, f"[ INFO : {written(at)},{millis(at)} ] - {message}")

    def row(self, *cells):
        return "│" + "│".join(f" {cell:>10} " for cell in cells) + "│"

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "exp_dir is: exp/ResNet34")

    def begin(self, at, resumed):
        self.say(at, "<========== Training process ==========>")
        self.say(at, "┌" + "┬".join(["─" * 12] * 6) + "┐")
        self.say(at, self.row("Epoch", "Batch", "Lr", "Margin", "Loss", "Acc"))
        self.say(at, "├" + "┼".join(["─" * 12] * 6) + "┤")

    def log(self, context):
        self.say(context.at, self.row(context.epoch + 1, context.index, f"{context.lr:.5g}", 0, f"{context.loss:.5g}", f"{12.3:.5g}"))


@style
class recbole(Style):
    source = "RUCAIBox/RecBole recbole/trainer/trainer.py:348 (epoch), 480 (evaluation), Saving current"
    counts_from = 0
    log_every = 1
    shortest_step = 3
    evaluates_first = True
    startup = ("21 Nov 02:00    INFO  ['run_recbole.py', '--model=BPR']", "21 Nov 02:00    INFO  General Hyper Parameters:")

    def say(self, at, message):
        self.writer.line(at, f"{written(at, '%d %b %H:%M')}    INFO  {message}")

    def log(self, context):
        self.say(context.at, f"\x1b[1;32mepoch {context.printed} training\x1b[0m [\x1b[1;34mtime\x1b[0m: {context.took:.2f}s, \x1b[1;34mtrain loss\x1b[0m: {context.loss:.4f}]")

    def evaluate(self, begin, end, step, context):
        self.say(end, f"\x1b[1;32mepoch {context.printed} evaluating\x1b[0m [\x1b[1;34mtime\x1b[0m: {end - begin:.2f}s, \x1b[1;34mvalid_score\x1b[0m: 0.123400]")
        self.say(end, "\x1b[1;34mvalid result\x1b[0m: \nrecall@10 : 0.1234    mrr@10 : 0.2345    ndcg@10 : 0.1456")

    def save(self, begin, end, step, context):
        self.say(end, "\x1b[1;34mSaving current\x1b[0m: saved/BPR-Nov-21-2025_02-00-00.pth")


@style
class dglke(Style):
    source = "awslabs/dgl-ke python/dglke/train_pytorch.py:167-171 (step), 187 (validation)"
    log_every = 100
    never_saves = True
    evaluates = False
    startup = ("Reading train triples....", "Finished. Read 483142 train triples.", "|Train|: 483142")

    def log(self, context):
        for name in ("pos_loss", "neg_loss", "loss", "regularization"):
            self.writer.line(context.at, f"[proc 0][Train]({context.step}/{self.job.steps}) average {name}: {context.loss / 3}")
        self.writer.line(context.at, f"[proc 0][Train] {context.log_every} steps take {context.seconds:.3f} seconds")
        self.writer.line(context.at, f"[proc 0]sample: {context.seconds * 0.2:.3f}, forward: {context.seconds * 0.4:.3f}, backward: {context.seconds * 0.3:.3f}, update: {context.seconds * 0.1:.3f}")


@style
class mace(Style):
    source = "ACEsuit/mace mace/tools/train.py:64-70 (epoch), 189 (Started training)"
    counts_from = 0
    log_every = 1
    shortest_step = 3
    evaluates = False
    startup = ("init",)

    def say(self, at, message):
        self.writer.line(at, f"{written(at)}.{millis(at)} INFO: {message}")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "===========VERIFYING SETTINGS===========")
        self.say(at + 1, "MACE version: 0.3.13")

    def begin(self, at, resumed):
        self.say(at, "Started training, reporting errors on validation set")
        self.say(at, "Loss metrics on validation set")

    def log(self, context):
        self.say(context.at, f"Epoch {context.printed}: head: Default, loss={context.loss:8.8f}, RMSE_E_per_atom={12.34:8.2f} meV, RMSE_F={23.45:8.2f} meV / A")


@style
class deepmd(Style):
    source = "deepmodeling/deepmd-kit deepmd/loggers/training.py:107-160, pt/train/training.py:1762 (save)"
    log_every = 100
    logs_first_step = True
    evaluates = False
    startup = ("init",)

    def say(self, at, message):
        self.writer.line(at, f"[{written(at)},{millis(at)}] DEEPMD INFO    {message}", "e")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "DeePMD version: 3.1.0")

    def begin(self, at, resumed):
        self.say(at, "Start to train %d steps." % self.job.steps)

    def log(self, context):
        for kind in ("trn", "val"):
            self.say(context.at, f"Batch {context.step:7d}: {kind}: rmse = {context.loss:8.2e}, rmse_e = {0.0123:8.2e}, rmse_f = {0.123:8.2e}" + (f", lr = {context.lr:8.2e}" if kind == "trn" else ""))
        self.say(context.at, f"Batch {context.step:7d}: total wall time = {context.since_log:.2f} s, eta = 1:02:03 at {written(context.at + 3723, '%Y-%m-%d %H:%M')}")

    def save(self, begin, end, step, context):
        self.say(end, f"Saved model to model.ckpt-{step}.pt")


@style
class sample_factory(Style):
    source = "alex-petrenko/sample-factory algo/runners/runner.py:328, 343, algo/learning/learner.py:298, 346; utils/utils.py"
    log_every = 1
    shortest_step = 4
    evaluates = False
    startup = ("init",)

    def say(self, at, message):
        self.writer.line(at, f"\x1b[36m[{written(at)},{millis(at)}][00140] {message}\x1b[0m", "e")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "Starting training in /train_dir/default_experiment...")

    def restore(self, begin, end, resumed):
        self.say(begin, "Loading model from checkpoint")
        self.say(end, f"Loaded experiment state at self.train_step={resumed}, self.env_steps={resumed * 8192}")

    def log(self, context):
        fps = 8192 / context.took
        self.say(
            context.at,
            f"Fps is (10 sec: {fps:.1f}, 60 sec: {fps:.1f}, 300 sec: {fps:.1f}). Total num frames: {context.step * 8192}. Throughput: 0: {fps / 4:.1f}. Samples: {context.step * 2048}. Policy #0 lag: (min: 0.0, avg: 1.2, max: 3.0)",
        )
        self.say(context.at, "Avg episode reward: [(0, '4.321')]")

    def save(self, begin, end, step, context):
        self.say(begin, f"Saving /train_dir/default_experiment/checkpoint_p0/checkpoint_{step:09d}_{step * 8192}.pth...")


@style
class depth_anything(Style):
    source = "DepthAnything/Depth-Anything-V2 metric_depth/train.py:110 (epoch), 151 (step), 186-189 (evaluation)"
    by_epoch = True
    counts_from = 0
    log_every = 100
    startup = ("init",)

    def say(self, at, message):
        self.writer.line(at, f"[{written(at)},{millis(at)}][    INFO] {message}", "e")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "{'bs': 4, 'dataset': 'hypersim', 'encoder': 'vitl', 'epochs': 120}")

    def step(self, context):
        if context.index == 1:
            at = context.at - context.took
            self.say(at, f"===========> Epoch: {context.epoch}/{self.job.epochs}, d1: 0.912, d2: 0.981, d3: 0.995")
            self.say(at, f"===========> Epoch: {context.epoch}/{self.job.epochs}, abs_rel: 0.101, sq_rel: 0.071, rmse: 0.301, rmse_log: 0.131, log10: 0.041, silog: 0.121")

    def log(self, context):
        self.say(context.at, f"Iter: {context.index - 1}/{self.job.epoch_steps}, LR: {context.lr:.7f}, Loss: {context.loss:.3f}")

    def evaluate(self, begin, end, step, context):
        self.say(end, "=" * 90)
        self.say(end, "{:>8}, {:>8}, {:>8}, {:>8}".format("d1", "d2", "abs_rel", "rmse"))
        self.say(end, "{:8.3f}, {:8.3f}, {:8.3f}, {:8.3f}".format(0.9, 0.98, 0.1, 0.3))


@style
class sentence_transformers(Style):
    source = "UKPLab/sentence-transformers sentence_transformers/fit_mixin.py:622 (Epoch), 629 (Iteration)"
    by_epoch = True
    never_saves = True  # fit() cannot resume: an attempt begins again
    log_every = 1
    evaluates = False
    startup = ("2025-11-21 02:00:00 - Load pretrained SentenceTransformer: microsoft/mpnet-base", "2025-11-21 02:00:00 - Warmup-steps: 144")

    def begin(self, at, resumed):
        self.outer = Bar(self.writer, at, self.job.epochs, desc="Epoch")

    def step(self, context):
        if context.index == 1:
            self.writer.raw(context.at - context.took, "\n", "e")
            self.bar = Bar(self.writer, context.at - context.took, self.job.epoch_steps, desc="Iteration")
        self.bar.update(context.at)
        if context.index == self.job.epoch_steps:
            self.bar.close(context.at)
            self.outer.update(context.at)


@style
class flax_mnist(Style):
    source = "google/flax examples/mnist/train.py:172"
    log_every = 1
    shortest_step = 3
    evaluates = False
    startup = ("init",)

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.writer.line(at, absl(at, "main.py", 50, "JAX process: 0 / 1"), "e")
        self.writer.line(at, absl(at, "main.py", 51, "JAX local devices: [CudaDevice(id=0)]"), "e")

    def log(self, context):
        text = "epoch:% 3d, train_loss: %.4f, train_accuracy: %.2f, test_loss: %.4f, test_accuracy: %.2f"
        self.writer.line(context.at, absl(context.at, "train.py", 172, text % (context.step, context.loss, 91.2, context.loss, 90.1)), "e")


@style
class mingpt(Style):
    source = "karpathy/minGPT projects/chargpt/chargpt.py batch_end_callback"
    counts_from = 0
    log_every = 10
    evaluates = False
    startup = ("number of parameters: 25.43M", "running on device cuda")

    def log(self, context):
        self.writer.line(context.at, f"iter_dt {context.alone * 1000:.2f}ms; iter {context.printed}: train loss {context.loss:.5f}")

    def save(self, begin, end, step, context):
        self.writer.line(begin, "O God, O God! and the people of the realm")
        self.writer.line(begin, "saving model")
