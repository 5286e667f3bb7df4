"""Trainers of robots, speech, images, tables and recommendations, from their public sources; written before any was tried."""

import math

from job import Bar, Style, absl, clock, millis, style, written


@style
class rsl_rl(Style):
    source = "leggedrobotics/rsl_rl rsl_rl/runners/on_policy_runner.py log()"
    counts_from = 0
    log_every = 1
    evaluates = False
    startup = ("[INFO]: Loading experiment from directory: logs/rsl_rl", "Actor MLP: Sequential(", "  (0): Linear(in_features=48, out_features=128)")

    def log(self, context):
        steps = f"\x1b[1m Learning iteration {context.printed}/{context.steps} \x1b[0m"
        total = context.at - context.started
        self.writer.line(
            context.at,
            f"{'#' * 80}\n{steps.center(80)}\n\n"
            f"{'Computation:':>35} {98304/context.took:.0f} steps/s (collection: {context.took*0.7:.3f}s, learning {context.took*0.3:.3f}s)\n"
            f"{'Value function loss:':>35} {context.loss/90:.4f}\n{'Surrogate loss:':>35} -0.0034\n"
            f"{'Mean action noise std:':>35} 0.88\n{'Mean reward:':>35} {20-context.loss:.2f}\n{'Mean episode length:':>35} 812.40\n"
            f"{'-' * 80}\n{'Total timesteps:':>35} {context.step*98304}\n{'Iteration time:':>35} {context.took:.2f}s\n"
            f"{'Total time:':>35} {total:.2f}s\n{'ETA:':>35} {total/context.step*(context.steps-context.step):.1f}s\n",
        )


@style
class hifigan(Style):
    source = "jik876/hifi-gan 3484fe68 train.py:141,145 and 171"
    counts_from = 0
    startup = ("Batch size per GPU : 16", "checkpoints directory :  cp_hifigan")

    def step(self, context):
        if context.index == 1:
            self.writer.line(context.at - context.took, f"Epoch: {context.epoch+1}")

    def log(self, context):
        self.writer.line(
            context.at,
            f"Steps : {context.printed:d}, Gen Loss Total : {context.loss*9:4.3f}, Mel-Spec. Error : {context.loss/9:4.3f}, s/b : {context.alone:4.3f}",
        )

    def restore(self, begin, end, resumed):
        self.writer.line(begin, f"Loading 'cp_hifigan/g_{resumed:08d}'")
        self.writer.line(end, "Complete.")

    def save(self, begin, end, step, context):
        self.writer.line(begin, f"Saving checkpoint to cp_hifigan/g_{step:08d}")
        self.writer.line(end, "Complete.")


@style
class dlrm(Style):
    source = "facebookresearch/dlrm fcd09698 dlrm_s_pytorch.py (Finished ... ms/it), :870 (Testing), Saving model to"
    by_epoch = True
    log_every = 100
    startup = ("Using 8 GPU(s)...", "time/loss/accuracy (if enabled):")

    def log(self, context):
        self.writer.line(
            context.at,
            f"Finished training it {context.index}/{self.job.epoch_steps} of epoch {context.epoch}, {1000*context.seconds/context.count:.2f} ms/it, loss {context.loss:.6f}",
        )

    def evaluate(self, begin, end, step, context):
        self.writer.line(begin, f"Testing at - {context.index}/{self.job.epoch_steps} of epoch {context.epoch},")
        self.writer.line(end, " accuracy 78.123 %, best 78.200 %")

    def save(self, begin, end, step, context):
        self.writer.line(begin, "Saving model to model.pt")


@style
class mxnet_module(Style):
    source = "apache/mxnet python/mxnet/callback.py Speedometer; python/mxnet/module/base_module.py fit"
    by_epoch = True
    log_every = 50
    startup = ("INFO:root:start with arguments Namespace(batch_size=256)",)

    def step(self, context):
        if context.index == 1:
            self.began = context.at - context.took

    def log(self, context):
        self.writer.line(
            context.at,
            f"INFO:root:Epoch[{context.epoch}] Batch [{context.index-context.log_every}-{context.index}]\tSpeed: {256*context.count/context.seconds:.2f} samples/sec\taccuracy={0.5:f}",
        )

    def save(self, begin, end, step, context):
        self.writer.line(begin, f"INFO:root:Epoch[{context.epoch}] Train-accuracy=0.512300")
        self.writer.line(begin, f"INFO:root:Epoch[{context.epoch}] Time cost={begin-self.began:.3f}")
        self.writer.line(end, f'INFO:root:Saved checkpoint to "model-{context.epoch+1:04d}.params"')

    def evaluate(self, begin, end, step, context):
        self.writer.line(end, f"INFO:root:Epoch[{context.epoch}] Validation-accuracy=0.498700")


@style
class gluoncv(Style):
    source = "dmlc/gluon-cv scripts/classification/imagenet/train_imagenet.py (Epoch[%d] Batch [%d])"
    by_epoch = True
    log_every = 50
    startup = ("INFO:root:Namespace(batch_size=128, dtype='float32')",)

    def log(self, context):
        self.writer.line(
            context.at,
            f"INFO:root:Epoch[{context.epoch}] Batch [{context.index-1}]\tSpeed: {1024*context.count/context.seconds:f} samples/sec\taccuracy={0.43:f}\tlr={context.lr:f}",
        )

    def evaluate(self, begin, end, step, context):
        self.writer.line(begin, f"INFO:root:[Epoch {context.epoch}] training: accuracy=0.4312")
        self.writer.line(end, f"INFO:root:[Epoch {context.epoch}] validation: err-top1=0.4123 err-top5=0.1834")


@style
class caffe(Style):
    source = "BVLC/caffe 89ba6e40 src/caffe/solver.cpp:246 (step), 354 (test), 462 (snapshot), 492 (restore)"
    log_every = 20
    counts_from = 0
    startup = ("init",)

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "caffe.cpp", 197, "Use GPU 0")

    def say(self, at, file, line, message):
        self.writer.line(at, absl(at, file, line, message), "e")

    def restore(self, begin, end, resumed):
        self.say(begin, "caffe.cpp", 242, f"Resuming from run_iter_{resumed}.solverstate")

    def log(self, context):
        per_s = context.count / context.since_log
        self.say(context.at, "solver.cpp", 239, f"Iteration {context.printed} ({per_s:g} iter/s, {context.since_log:g}s/20 iters), loss = {context.loss:g}")
        self.say(context.at, "solver.cpp", 258, f"    Train net output #0: loss = {context.loss:g} (* 1 = {context.loss:g} loss)")
        self.say(context.at, "sgd_solver.cpp", 112, f"Iteration {context.printed}, lr = {context.lr:g}")

    def evaluate(self, begin, end, step, context):
        self.say(begin, "solver.cpp", 347, f"Iteration {step}, Testing net (#0)")
        self.say(end, "solver.cpp", 414, "    Test net output #0: accuracy = 0.7812")

    def save(self, begin, end, step, context):
        self.say(begin, "solver.cpp", 464, f"Snapshotting to binary proto file run_iter_{step}.caffemodel")
        self.say(end, "sgd_solver.cpp", 284, f"Snapshotting solver state to binary proto file run_iter_{step}.solverstate")


@style
class darknet(Style):
    source = "AlexeyAB/darknet 518780b3 src/detector.c:330 (step), 378 (Saving weights)"
    log_every = 1
    evaluates = False
    startup = (" Try to load weights: yolov4.conv.137", " Done! Loaded 137 layers from weights-file", "Learning Rate: 0.0013, Momentum: 0.949, Decay: 0.0005")

    def log(self, context):
        self.writer.line(
            context.at,
            f"\n {context.step}: {context.loss:f}, {context.loss:f} avg loss, {context.lr:f} rate, {context.took:f} seconds, {context.step*64} images, 12.345678 hours left",
        )
        self.writer.line(context.at, f"Loaded: {0.00004:f} seconds")

    def save(self, begin, end, step, context):
        self.writer.line(begin, f"Saving weights to backup//yolo_{step}.weights")


@style
class stylegan3(Style):
    source = "NVlabs/stylegan3 3b107d40 training/training_loop.py:332"
    counts_from = 0
    log_every = 1
    shortest_step = 2
    evaluates = False
    startup = ("Loading training set...", "Num images:  70000", "Training for 25000 kimg...")

    def begin(self, at, resumed):
        self.started = at

    def log(self, context):
        took = context.since_log
        self.writer.line(
            context.at,
            f"tick {context.printed:<5d} kimg {context.printed*4.0:<8.1f} time {clock(context.at-self.started):<12s} sec/tick {took:<7.1f} sec/kimg {took/4:<7.2f} "
            f"maintenance {0.1:<6.1f} cpumem {3.21:<6.2f} gpumem {9.87:<6.2f} reserved {10.1:<6.2f} augment 0.013",
        )


@style
class cyclegan(Style):
    source = "junyanz/pytorch-CycleGAN-and-pix2pix util/visualizer.py print_current_losses; train.py"
    by_epoch = True
    log_every = 100
    evaluates = False
    startup = ("dataset [UnalignedDataset] was created", "The number of training images = 1334", "---------- Networks initialized -------------")

    def step(self, context):
        if context.index == 1:
            self.began = context.at - context.took
            self.writer.line(self.began, f"learning rate {context.lr:.7f} -> {context.lr:.7f}")

    def log(self, context):
        self.writer.line(
            context.at,
            f"(epoch: {context.epoch+1}, iters: {context.index}, time: {context.alone:.3f}, data: 0.004) D_A: 0.231 G_A: {context.loss:.3f} cycle_A: 1.231 idt_A: 0.400 ",
        )

    def save(self, begin, end, step, context):
        self.writer.line(begin, f"saving the model at the end of epoch {context.epoch+1}, iters {step}")
        self.writer.line(end, f"End of epoch {context.epoch+1} / {self.job.epochs} \t Time Taken: {int(end-self.began)} sec")


@style
class nnunet(Style):
    source = "MIC-DKFZ/nnUNet 959729c8 nnunetv2/training/nnUNetTrainer/nnUNetTrainer.py on_epoch_start and on_epoch_end"
    counts_from = 0
    log_every = 1
    shortest_step = 4
    evaluates = False
    startup = ("Using device: cuda:0", "Please cite the following paper when using nnU-Net:", "Do not use torch.compile")

    def say(self, at, *words):
        self.writer.line(at, f"{written(at)}.{millis(at)}000: " + " ".join(map(str, words)) + " ")

    def restore(self, begin, end, resumed):
        self.say(end, "Using splits from existing split file")

    def log(self, context):
        self.say(context.at - context.alone, "")
        self.say(context.at - context.alone, f"Epoch {context.printed}")
        self.say(context.at - context.alone, f"Current learning rate: {round(context.lr, 5)}")
        self.say(context.at, "train_loss", round(-context.loss / 10, 4))
        self.say(context.at, "val_loss", round(-context.loss / 11, 4))
        self.say(context.at, "Pseudo dice", [0.81, 0.77])
        self.say(context.at, f"Epoch time: {round(context.took, 2)} s")


@style
class monai(Style):
    source = "Project-MONAI/MONAI monai/handlers/stats_handler.py _default_iteration_print; ignite Engine run logs"
    by_epoch = True
    log_every = 1
    startup = ("2025-11-21 02:00:00,000 - INFO - Engine run resuming from iteration 0, epoch 0 until 10 epochs",)

    def say(self, at, message):
        self.writer.line(at, f"{written(at)},{millis(at)} - INFO - {message}")

    def log(self, context):
        self.say(context.at, f"Epoch: {context.epoch+1}/{self.job.epochs}, Iter: {context.index}/{self.job.epoch_steps} -- train_loss: {context.loss:.4f} ")

    def evaluate(self, begin, end, step, context):
        self.say(begin, f"Engine run resuming from iteration 0, epoch {context.epoch} until {context.epoch+1} epochs")
        self.say(end, f"Epoch[{context.epoch+1}] Metrics -- val_mean_dice: 0.7123 ")

    def save(self, begin, end, step, context):
        self.say(end, f"Saved checkpoint at epoch: {context.epoch+1}")


@style
class trax(Style):
    source = "google/trax trax/supervised/training.py _log_step, log_summary"
    log_every = 50
    startup = ("No --dataset specified.", "Will save evaluation metrics.")

    def log(self, context):
        self.writer.line(context.at, "")
        self.writer.line(context.at, f"Step {context.step:6d}: Ran {context.count} train steps in {context.seconds:0.2f} secs")
        self.writer.line(context.at, f"Step {context.step:6d}: train CrossEntropyLoss | {context.loss: .8f}")

    def evaluate(self, begin, end, step, context):
        self.writer.line(end, f"Step {step:6d}: eval  CrossEntropyLoss | {context.loss: .8f}")
        self.writer.line(end, f"Step {step:6d}: eval          Accuracy |  0.51230000")


@style
class tacotron2(Style):
    source = "NVIDIA/tacotron2 train.py:236 (step), 147 (validation), 115 (save), 104 (restore)"
    counts_from = 0
    log_every = 1
    startup = ("FP16 Run: False", "Dynamic Loss Scaling: True", "Distributed Run: False", "cuDNN Enabled: True")

    def step(self, context):
        if context.index == 1 or context.step == context.resumed + 1:
            self.writer.line(context.at - context.took, f"Epoch: {context.epoch}")

    def restore(self, begin, end, resumed):
        self.writer.line(begin, f"Loading checkpoint 'out/checkpoint_{resumed}'")
        self.writer.line(end, f"Loaded checkpoint 'out/checkpoint_{resumed}' from iteration {resumed}")

    def log(self, context):
        self.writer.line(context.at, f"Train loss {context.printed} {context.loss:.6f} Grad Norm {context.grad_norm:.6f} {context.took:.2f}s/it")

    def evaluate(self, begin, end, step, context):
        self.writer.line(end, f"Validation loss {step}: {context.loss:9f}  ")

    def save(self, begin, end, step, context):
        self.writer.line(begin, f"Saving model and optimizer state at iteration {step} to out/checkpoint_{step}")


@style
class deepspeech(Style):
    source = "mozilla/DeepSpeech training/deepspeech_training/train.py, util: progressbar 'Epoch 0 |   Training | Elapsed Time'"
    by_epoch = True
    log_every = 10
    startup = ("I Could not find best validating checkpoint.", "I STARTING Optimization")

    def step(self, context):
        if context.index == 1:
            self.began = context.at - context.took

    def log(self, context):
        self.writer.line(
            context.at,
            f"Epoch {context.epoch} |   Training | Elapsed Time: {clock(context.at-self.began)} | Steps: {context.index} | Loss: {context.loss:.6f}",
        )

    def evaluate(self, begin, end, step, context):
        self.writer.line(end, f"Epoch {context.epoch} | Validation | Elapsed Time: {clock(end-begin)} | Steps: 40 | Loss: {context.loss:.6f} | Dataset: dev.csv")

    def save(self, begin, end, step, context):
        self.writer.line(end, f"I Saved new best validating model with loss {context.loss:.6f} to: checkpoints/best_dev-{step}")


@style
class tianshou(Style):
    source = "thu-ml/tianshou tianshou/trainer/base.py (tqdm Epoch #N), utils/progress_bar.py tqdm_config"
    by_epoch = True
    log_every = 1
    evaluates_first = True
    startup = ("Observations shape: (4, 84, 84)", "Actions shape: 6")

    def step(self, context):
        if context.index == 1:
            self.bar = Bar(self.writer, context.at - context.took, self.job.epoch_steps, 0, f"Epoch #{context.epoch+1}", width=40)
        self.bar.update(context.at, 1, f"env_step={context.step*10}, len=200, n/ep=1, n/st=10, rew=200.00, loss={context.loss:.3f}")
        if context.index == self.job.epoch_steps:
            self.bar.close(context.at)

    def evaluate(self, begin, end, step, context):
        self.writer.line(end, f"Epoch #{context.epoch+1}: test_reward: 195.100000 ± 12.300000, best_reward: 200.000000 ± 0.000000 in #1")


@style
class cleanrl(Style):
    source = "vwxyzjn/cleanrl cleanrl/ppo.py (global_step=..., episodic_return=...; SPS:)"
    log_every = 1
    evaluates = False
    never_saves = True
    startup = ("Gym has been unmaintained since 2022",)

    def step(self, context):
        steps = context.step * 512
        for part in (1, 3, 4):
            self.writer.line(context.at - context.alone * (4 - part) / 8, f"global_step={steps-512+part*120}, episodic_return={context.loss*20:.1f}")

    def log(self, context):
        self.writer.line(context.at, f"SPS: {int(context.step*512/(context.at-context.started+1))}")


@style
class spinningup(Style):
    source = "openai/spinningup spinup/utils/logx.py EpochLogger.dump_tabular"
    log_every = 1
    counts_from = 0
    shortest_step = 3
    evaluates = False
    startup = ("Warning: Log dir data/ppo already exists! Storing info there anyway.", "Logging data to data/ppo/progress.txt")

    def log(self, context):
        rows = (
            ("Epoch", context.printed),
            ("AverageEpRet", 120.5 - context.loss),
            ("VVals", 31.2),
            ("TotalEnvInteracts", context.step * 4000),
            ("LossPi", -0.0123),
            ("LossV", context.loss),
            ("Time", context.at - context.started),
        )
        self.writer.line(context.at, "-" * 39)
        for name, value in rows:
            self.writer.line(context.at, f"| {name:>15} | {value if isinstance(value, int) else '%8.3g' % value:>15} |")
        self.writer.line(context.at, "-" * 39)


@style
class pyg(Style):
    source = "pyg-team/pytorch_geometric examples/gcn.py, torch_geometric/logging.py log()"
    log_every = 1
    evaluates = False
    never_saves = True
    startup = ("Using device: cuda",)

    def log(self, context):
        self.writer.line(context.at, f"Epoch: {context.step:03d}, Loss: {context.loss:.4f}, Train: 0.9123, Val: 0.7812, Test: 0.8012")


@style
class dgl(Style):
    source = "dmlc/dgl examples/pytorch/graphsage (Epoch {:05d} | Loss {:.4f} | Accuracy {:.4f})"
    log_every = 1
    counts_from = 0
    evaluates = False
    never_saves = True
    startup = ("Training...",)

    def log(self, context):
        self.writer.line(context.at, f"Epoch {context.printed:05d} | Loss {context.loss:.4f} | Accuracy 0.8123 ")


@style
class lightgbm(Style):
    source = "microsoft/LightGBM python-package/lightgbm/callback.py log_evaluation"
    log_every = 10
    evaluates = False
    never_saves = True
    startup = (
        "[LightGBM] [Info] Total Bins 6143",
        "[LightGBM] [Info] Number of data points in the train set: 7000, number of used features: 28",
        "[LightGBM] [Info] Start training from score 0.530600",
    )

    def log(self, context):
        self.writer.line(context.at, f"[{context.step}]\ttraining's l2: {context.loss/10:g}\tvalid_1's l2: {context.loss/9:g}")


@style
class speechbrain(Style):
    source = "speechbrain/speechbrain speechbrain/core.py fit (tqdm), utils/train_logger.py FileTrainLogger, utils/checkpoints.py"
    by_epoch = True
    log_every = 1
    evaluates_first = True
    startup = ("speechbrain.core - Beginning experiment!", "speechbrain.core - 54.6M trainable parameters in ASR")

    def step(self, context):
        if context.index == 1:
            self.writer.line(context.at - context.took, f"speechbrain.utils.epoch_loop - Going into epoch {context.epoch+1}")
            self.bar = Bar(self.writer, context.at - context.took, self.job.epoch_steps, 0, "")
        self.bar.update(context.at, 1, f"train_loss={context.loss:.2f}")
        if context.index == self.job.epoch_steps:
            self.bar.close(context.at)

    def evaluate(self, begin, end, step, context):
        bar = Bar(self.writer, begin, 40, 0, "")
        for i in range(40):
            bar.update(begin + (end - begin) * (i + 1) / 40)
        bar.close(end)
        self.writer.line(end, f"speechbrain.utils.train_logger - epoch: {context.epoch+1}, lr: {context.lr:.2e} - train loss: {context.loss:.2e} - valid loss: {context.loss:.2e}, valid WER: 12.31")

    def save(self, begin, end, step, context):
        self.writer.line(end, "speechbrain.utils.checkpoints - Saved an end-of-epoch checkpoint in results/save/CKPT+2025-11-21+02-00-00+00")


@style
class allennlp(Style):
    source = "allenai/allennlp allennlp/training/gradient_descent_trainer.py (tqdm), common/util.py description; metric_tracker lines"
    by_epoch = True
    log_every = 1
    evaluates_first = True
    startup = ("2025-11-21 02:00:00,000 - INFO - allennlp.training.trainer - Beginning training.",)

    def step(self, context):
        if context.index == 1:
            at = context.at - context.took
            self.writer.line(at, f"{written(at)},{millis(at)} - INFO - allennlp.training.gradient_descent_trainer - Epoch {context.epoch}/{self.job.epochs-1}")
            self.writer.line(at, f"{written(at)},{millis(at)} - INFO - allennlp.training.gradient_descent_trainer - Training")
            self.bar = Bar(self.writer, at, self.job.epoch_steps, 0, "")
        self.bar.desc = f"accuracy: 0.5123, batch_loss: {context.loss:.4f}, loss: {context.loss:.4f} ||"
        self.bar.update(context.at, 1)
        if context.index == self.job.epoch_steps:
            self.bar.close(context.at)

    def evaluate(self, begin, end, step, context):
        self.writer.line(begin, f"{written(begin)},{millis(begin)} - INFO - allennlp.training.gradient_descent_trainer - Validating")
        self.writer.line(end, f"{written(end)},{millis(end)} - INFO - allennlp.training.callbacks.console_logger - loss               |     {context.loss:.3f}  |     {context.loss:.3f}")


@style
class nerfstudio(Style):
    source = "nerfstudio-project/nerfstudio eb3a7a5a nerfstudio/utils/writer.py LocalWriter"
    counts_from = 0
    log_every = 10
    evaluates = False
    startup = ("Setting up training dataset...", "Caching all 200 images.", "Step (% Done)       Train Iter (time)    ETA (time)           Train Rays / Sec      ", "-" * 82)

    def log(self, context):
        mean = context.seconds / context.count
        share = f"({100*context.printed/context.steps:.02f}%)"
        left = int((context.steps - context.printed) * mean)
        self.writer.line(
            context.at,
            f"{str(context.printed)+' '+share:<20}{f'{mean*1000:0.3f} ms':<20} {f'{left//60} m, {left%60} s':<20} {f'{4096/mean/1000:0.2f} K':<20} ",
        )


@style
class hugectr(Style):
    source = "NVIDIA-Merlin/HugeCTR HugeCTR/src/pybind/model.cpp fit (Iter: Time(... iters): Loss: lr:)"
    log_every = 50
    startup = ("HugeCTR Version: 23.8", "[HCTR][02:00:00.000][INFO][RK0][main]: Start training",)

    def say(self, at, message):
        self.writer.line(at, f'[HCTR][{written(at,"%H:%M:%S")}.{millis(at)}][INFO][RK0][main]: {message}')

    def log(self, context):
        self.say(context.at, f"Iter: {context.step} Time({context.count} iters): {context.seconds:g}s Loss: {context.loss:g} lr:{context.lr:g}")

    def evaluate(self, begin, end, step, context):
        self.say(end, "Evaluation, AUC: 0.7812")
        self.say(end, f"Eval Time for 70 iters: {end-begin:g}s")

    def save(self, begin, end, step, context):
        self.say(begin, "Dumping sparse weights to files, successful")


@style
class maskrcnn_benchmark(Style):
    source = "facebookresearch/maskrcnn-benchmark maskrcnn_benchmark/engine/trainer.py do_train, utils/checkpoint.py"
    log_every = 20
    startup = ("init",)

    def say(self, at, name, message):
        self.writer.line(at, f"{written(at)},{millis(at)} maskrcnn_benchmark.{name} INFO: {message}")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "trainer", "Start training")

    def restore(self, begin, end, resumed):
        self.say(begin, "utils.checkpoint", f"Loading checkpoint from ./model_{resumed:07d}.pth")

    def log(self, context):
        self.say(
            context.at,
            "trainer",
            f"eta: {clock((context.steps-context.step)*self.job.mean)}  iter: {context.step}  loss: {context.loss:.4f} ({context.loss:.4f})  "
            f"loss_mask: 0.6912 (0.6921)  time: {context.took:.4f} ({self.job.mean:.4f})  data: 0.0123 (0.0145)  lr: {context.lr:.6f}  max mem: 4321",
        )

    def save(self, begin, end, step, context):
        self.say(begin, "utils.checkpoint", f"Saving checkpoint to ./model_{step:07d}.pth")

    def evaluate(self, begin, end, step, context):
        self.say(begin, "inference", "Start evaluation on coco_2017_val dataset(5000 images).")
        self.say(end, "inference", f"Total run time: {clock(end-begin)} (0.1 s / img per device, on 8 devices)")


@style
class chainer(Style):
    source = "chainer/chainer chainer/training/extensions/print_report.py (espnet1 ASR recipes)"
    log_every = 50
    evaluates = False
    startup = ("epoch       iteration   main/loss   main/acc    elapsed_time  ",)

    def log(self, context):
        self.writer.line(
            context.at,
            f"{context.epoch+1:<10}  {context.step:<10}  {context.loss:<10.6g}  {0.51234:<10.6g}  {context.at-context.started:<10.6g}  ",
        )


@style
class vits(Style):
    source = "jaywalnut310/vits train.py:174 (step), 122 (epoch), utils.py save_checkpoint"
    by_epoch = True
    counts_from = 0
    log_every = 50
    evaluates = False
    startup = ("init",)

    def say(self, at, message):
        self.writer.line(at, f"{written(at)},{millis(at)}\tljs_base\tINFO\t{message}", "e")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "{'train': {'log_interval': 200, 'eval_interval': 1000, 'seed': 1234, 'epochs': 20000}}")

    def restore(self, begin, end, resumed):
        self.say(end, f"Loaded checkpoint './logs/ljs_base/G_{resumed}.pth' (iteration {resumed//self.job.epoch_steps})")

    def log(self, context):
        self.say(context.at, f"Train Epoch: {context.epoch+1} [{100.*(context.index-1)/self.job.epoch_steps:.0f}%]")
        self.say(context.at, f"[{context.loss}, 2.31, 5.6, 22.1, 1.3, 1.9, {context.step-1}, {context.lr}]")

    def save(self, begin, end, step, context):
        self.say(begin, f"Saving model and optimizer state at iteration {context.epoch+1} to ./logs/ljs_base/G_{step}.pth")
        self.say(end, f"====> Epoch: {context.epoch+1}")
