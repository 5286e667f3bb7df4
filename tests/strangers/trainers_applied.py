"""Logs of trainers of detectors, faces, poses, restoration, catalysts and games, written before the parser saw any of them."""

import pprint

from job import Bar, Style, absl, clock, millis, style, written


@style
class yolox(Style):
    source = "Megvii-BaseDetection/YOLOX yolox/core/trainer.py after_iter, save_ckpt, evaluate_and_save_model; loguru"
    by_epoch = True
    startup = ("2024-05-01 10:00:00 | INFO     | yolox.core.trainer:130 - args: Namespace(batch_size=64)",)

    def say(self, at, line, message):
        self.writer.line(at, f"{written(at)} | INFO     | yolox.core.trainer:{line} - {message}", "e")

    def restore(self, begin, end, resumed):
        self.say(begin, 310, "resume training")
        self.say(end, 330, f"loaded checkpoint 'True' (epoch {resumed//self.job.epoch_steps})")

    def begin(self, at, resumed):
        self.say(at, 192, "Training start...")
        self.say(at, 203, f"---> start train epoch{resumed//self.job.epoch_steps+1}")

    def log(self, context):
        left = clock((context.steps - context.step) * self.job.mean)
        self.say(
            context.at,
            261,
            f"epoch: {context.epoch+1}/{self.job.epochs}, iter: {context.index}/{self.job.epoch_steps}, gpu mem: 12031Mb, mem: 30.1Gb, iter_time: {context.seconds/context.count:.3f}s, data_time: 0.001s, total_loss: {context.loss:.1f}, iou_loss: 2.1, l1_loss: 0.0, conf_loss: 2.0, cls_loss: 1.0, lr: {context.lr:.3e}, size: 640, ETA: {left}",
        )

    def save(self, begin, end, step, context):
        self.say(begin, 392, "Save weights to ./YOLOX_outputs/yolox_s")
        if step < self.job.steps:
            self.say(end, 203, f"---> start train epoch{context.epoch+2}")

    evaluates_first = True

    def evaluate(self, begin, end, step, context):
        self.say(end, 375, "\nAverage forward time: 5.21 ms, Average NMS time: 1.02 ms, Average inference time: 6.23 ms")


@style
class nanodet(Style):
    source = "RangiLyu/nanodet nanodet/trainer/task.py training_step, validation_step; util/logger.py"
    by_epoch = True
    startup = ("[NanoDet][05-01 10:00:00]INFO: Setting up data...", "[NanoDet][05-01 10:00:01]INFO: Creating model...")

    def say(self, at, message):
        self.writer.line(at, f"[NanoDet][{written(at, '%m-%d %H:%M:%S')}]INFO: {message}", "e")

    def log(self, context):
        self.say(
            context.at,
            f"Train|Epoch{context.epoch+1}/{self.job.epochs}|Iter{context.step}({context.index}/{self.job.epoch_steps})| mem:3.2G| lr:{context.lr:.2e}| loss_qfl:{context.loss:.4f}| loss_bbox:0.5512| loss_dfl:0.2311| ",
        )

    def evaluate(self, begin, end, step, context):
        for i in range(1, 4):
            self.say(
                begin + (end - begin) * i / 4,
                f"Val|Epoch{context.epoch+1}/{self.job.epochs}|Iter{step}({i*50})| lr:{context.lr:.2e}| loss_qfl:0.4211| loss_bbox:0.5012| loss_dfl:0.2011| ",
            )


@style
class retinaface(Style):
    source = "biubug6/Pytorch_Retinaface train.py"
    by_epoch = True
    log_every = 1
    evaluates = False
    startup = ("Printing net...", "Loading Dataset...")

    def log(self, context):
        left = clock((context.steps - context.step) * context.alone)
        self.writer.line(
            context.at,
            f"Epoch:{context.epoch+1}/{self.job.epochs} || Epochiter: {context.index}/{self.job.epoch_steps} || Iter: {context.step}/{context.steps} || Loc: {context.loss:.4f} Cla: 2.1031 Landm: 4.2012 || LR: {context.lr:.8f} || Batchtime: {context.took:.4f} s || ETA: {left}",
        )


@style
class arcface_torch(Style):
    source = "deepinsight/insightface recognition/arcface_torch utils/utils_callbacks.py CallBackLogging, CallBackVerification"
    startup = ("Training: 2024-05-01 10:00:00,000-rank_id: 0", "Training: 2024-05-01 10:00:01,000-: batch_size 128")

    def say(self, at, message):
        self.writer.line(at, f"Training: {written(at)},{millis(at)}-{message}", "e")

    def log(self, context):
        speed = 1024 * context.count / context.seconds
        hours = (context.steps - context.step) * self.job.mean / 3600
        self.say(
            context.at,
            f"Speed {speed:.2f} samples/sec   Loss {context.loss:.4f}   LearningRate {context.lr:.6f}   Epoch: {context.epoch}   Global Step: {context.step}   Fp16 Grad Scale: 65536   Required: {hours:.0f} hours",
        )

    def evaluate(self, begin, end, step, context):
        self.say(end, f"[lfw][{step}]XNorm: 21.381210")
        self.say(end, f"[lfw][{step}]Accuracy-Flip: 0.99467+-0.00356")


@style
class tf_detection(Style):
    source = "tensorflow/models research/object_detection/model_lib_v2.py train_loop; a line every 100 steps; absl"
    log_every = 100
    evaluates = False
    startup = ("INFO:tensorflow:Maybe overwriting train_steps: None",)

    def log(self, context):
        self.writer.line(context.at, absl(context.at, "model_lib_v2.py", 705, f"Step {context.step} per-step time {context.alone:.3f}s"), "e")
        values = {
            "Loss/classification_loss": round(context.loss / 2, 7),
            "Loss/localization_loss": round(context.loss / 4, 7),
            "Loss/regularization_loss": 0.1535,
            "Loss/total_loss": round(context.loss, 7),
            "learning_rate": round(context.lr, 7),
        }
        self.writer.line(context.at, absl(context.at, "model_lib_v2.py", 708, pprint.pformat(values, width=40)), "e")


@style
class orbit(Style):
    source = "tensorflow/models orbit/controller.py Controller.train, evaluate, _log; absl"
    startup = ("I0501 10:00:00.000000 139 distribute_utils.py:50] Using MirroredStrategy",)

    def say(self, at, message):
        self.writer.line(at, absl(at, "controller.py", 62, message), "e")

    def restore(self, begin, end, resumed):
        self.say(end, "restoring or initializing model...")
        self.say(end, f"restored model from /ckpt/ckpt-{resumed}.")

    def begin(self, at, resumed):
        self.say(at, f"train | step: {resumed: 6d} | training until step {self.job.steps}...")

    def log(self, context):
        speed = context.count / context.since_log
        self.say(context.at, f"train | step: {context.step: 6d} | steps/sec: {speed: 6.1f} | output: ")
        self.writer.line(context.at, f"    {{'learning_rate': {context.lr:.8f},\n     'training_loss': {context.loss:.6f}}}", "e")

    def save(self, begin, end, step, context):
        self.say(end, f"saved checkpoint to /ckpt/ckpt-{step}.")

    def evaluate(self, begin, end, step, context):
        self.say(begin, f" eval | step: {step: 6d} | running 50 steps of evaluation...")
        self.say(end, f" eval | step: {step: 6d} | steps/sec: {50/(end-begin): 6.1f} | eval time: {end-begin: 6.1f} sec | output: ")
        self.writer.line(end, "    {'accuracy': 0.71, 'validation_loss': 1.21}", "e")


@style
class kair(Style):
    source = "cszn/KAIR main_train_psnr.py; utils/utils_logger.py"
    startup = ("24-05-01 10:00:00.000 :   task: classical_sr",)

    def say(self, at, message):
        self.writer.line(at, f"{written(at, '%y-%m-%d %H:%M:%S')}.{millis(at)} : {message}")

    def log(self, context):
        self.say(context.at, f"<epoch:{context.epoch:3d}, iter:{context.step:8,d}, lr:{context.lr:.3e}> G_loss: {context.loss:.3e} ")

    def save(self, begin, end, step, context):
        self.say(begin, "Saving the model.")

    def evaluate(self, begin, end, step, context):
        for i in range(1, 5):
            self.say(begin + (end - begin) * i / 5, f"{i:->4d}--> img_{i}.png | 28.12dB")
        self.say(end, f"<epoch:{context.epoch:3d}, iter:{step:8,d}, Average PSNR : 28.34dB\n")


@style
class dopamine(Style):
    source = "google/dopamine discrete_domains/run_experiment.py Runner: an iteration is the step; absl"
    log_every = 1
    shortest_step = 5
    startup = ("I0501 10:00:00.000000 139 run_experiment.py:550] Beginning training...",)

    def say(self, at, line, message):
        self.writer.line(at, absl(at, "run_experiment.py", line, message), "e")

    def restore(self, begin, end, resumed):
        self.say(end, 240, f"Reloaded checkpoint and will start from iteration {resumed}")

    def step(self, context):
        self.say(context.at - context.took, 500, f"Starting iteration {context.step-1}")
        self.say(context.at, 420, "Average undiscounted return per training episode: 12.10")
        self.say(context.at, 425, f"Average training steps per second: {5000/context.took:.2f}")

    def evaluate(self, begin, end, step, context):
        self.say(end, 450, "Average undiscounted return per evaluation episode: 13.20")


@style
class pysot(Style):
    source = "STVIR/pysot tools/train.py, pysot/utils/log_helper.py print_speed"
    startup = ("[2024-05-01 10:00:00,000-rk0-train.py#290] init done",)

    def say(self, at, file, message):
        self.writer.line(at, f"[{written(at)},{millis(at)}-rk0-{file}] {message}")

    def log(self, context):
        self.say(
            context.at,
            "train.py#254",
            f"Epoch: [{context.epoch+1}][{context.index}/{self.job.epoch_steps}] lr: {context.lr:.6f}\n\tbatch_time: {context.alone:.6f} ({self.job.mean:.6f})\tdata_time: 0.000411 (0.000502)\n\ttotal_loss: {context.loss:.6f} ({context.loss:.6f})\tcls_loss: 0.210011 (0.211120)",
        )
        left = (context.steps - context.step) * self.job.mean
        self.say(
            context.at,
            "log_helper.py#102",
            f"Progress: {context.step} / {context.steps} [{context.step*100//context.steps}%], Speed: {self.job.mean:.3f} s/iter, ETA {int(left//86400)}:{int(left//3600%24):02d}:{int(left//60%60):02d} (D:H:M)\n",
        )


@style
class nerf_pytorch(Style):
    source = "yenchenlin/nerf-pytorch run_nerf.py train: trange and tqdm.write every i_print"
    log_every = 50
    startup = ("Loaded blender (138, 400, 400, 4)", "Found ckpts []", "Begin")

    def begin(self, at, resumed):
        self.bar = Bar(self.writer, at, self.job.steps - resumed)

    def step(self, context):
        self.bar.update(context.at)

    def log(self, context):
        self.writer.raw(context.at, "\r" + " " * 60 + "\r", "e")
        self.writer.line(context.at, f"[TRAIN] Iter: {context.step} Loss: {context.loss/100}  PSNR: {20+context.step/1000}")

    def save(self, begin, end, step, context):
        self.writer.line(end, f"Saved checkpoints at ./logs/lego/{step:06d}.tar")

    def evaluate(self, begin, end, step, context):
        self.writer.line(begin, "test poses shape torch.Size([13, 4, 4])")
        self.writer.line(end, "Saved test set")


@style
class deeplabcut(Style):
    source = "DeepLabCut deeplabcut/pose_estimation_tensorflow/core/train.py"
    evaluates = False
    startup = ("Initializing ResNet", "Loading ImageNet-pretrained resnet_50", "Starting training....")

    def log(self, context):
        self.writer.line(context.at, f"iteration: {context.step} loss: {context.loss/100:.4f} lr: 0.005", "e")


@style
class fairchem(Style):
    source = "FAIR-Chem/fairchem ocpmodels/trainers/forces_trainer.py train: numbers of three digits"
    startup = ("2024-05-01 10:00:00 (INFO): Project root: /app", "2024-05-01 10:00:01 (INFO): Loading dataset: lmdb")

    def say(self, at, message):
        self.writer.line(at, f"{written(at)} (INFO): {message}", "e")

    def restore(self, begin, end, resumed):
        self.say(begin, "Loading checkpoint from: checkpoints/checkpoint.pt")

    def log(self, context):
        values = {
            "energy_mae": context.loss,
            "forces_mae": 0.0311,
            "loss": context.loss * 2,
            "lr": context.lr,
            "epoch": context.step / self.job.epoch_steps,
            "step": context.step,
        }
        self.say(context.at, ", ".join(f"{key}: {value:.2e}" for key, value in values.items()))

    def evaluate(self, begin, end, step, context):
        self.say(begin, "Evaluating on val.")
        self.say(end, f"energy_mae: 0.4123, forces_mae: 0.0301, loss: 1.2011, epoch: {step/self.job.epoch_steps:.4f}")
