"""Trainers of speech, translation, tables and reinforcement learning, from their public sources."""

import math

from job import Style, clock, millis, style, written


def info(at):
    return f"[{written(at)},{millis(at)} INFO] "


@style
class opennmt_py(Style):
    source = "OpenNMT/OpenNMT-py 97111d97 onmt/utils/statistics.py:123, onmt/models/model_saver.py:271, onmt/trainer.py:298"
    startup = ("Parsed 2 corpora from -data.", "encoder: 44983296", "* number of parameters: 93393232")

    def begin(self, at, resumed):
        self.started = at
        self.writer.line(at, info(at) + "Start training loop and validate every 500 steps...")

    def log(self, context):
        at = context.at
        self.writer.line(
            at,
            info(at) + f"Step {context.step}/{context.steps}; acc: {50.1:2.1f}; ppl: {math.exp(context.loss):5.1f}; "
            f"xent: {context.loss:2.1f}; lr: {context.lr:7.5f}; sents: {4096*context.count:7.0f}; bsz: 3200/3100/64; "
            f"{3200/context.alone:3.0f}/{3100/context.alone:3.0f} tok/s; {at-self.started:6.0f} sec;",
        )

    def save(self, begin, end, step, context):
        self.writer.line(begin, info(begin) + f"Saving checkpoint run/model_step_{step}.pt")

    def evaluate(self, begin, end, step, context):
        self.writer.line(end, info(end) + f"Validation perplexity: {math.exp(context.loss):g}")
        self.writer.line(end, info(end) + "Validation accuracy: 51.2")


@style
class marian(Style):
    source = "marian-nmt/marian-dev c9f287db src/training/scheduler.h:559 and 370"
    startup = (
        "[2025-10-09 12:00:00] [marian] Marian v1.12.0",
        "[2025-10-09 12:00:01] [memory] Reserving 8192 MB, device gpu0",
        "[2025-10-09 12:00:02] Training started",
    )

    def log(self, context):
        self.writer.line(
            context.at,
            f"[{written(context.at)}] Ep. {context.epoch+1} : Up. {context.step} : Sen. {context.step*640:,} : "
            f"Cost {context.loss:.8f} * {64000:,} @ {8000:,} after {context.step*64000:,} : Time {context.since_log:.2f}s : "
            f"{64000*context.count/context.seconds:.2f} words/s : gNorm {context.grad_norm:.4f}",
        )

    def save(self, begin, end, step, context):
        self.writer.line(begin, f"[{written(begin)}] Saving model weights and runtime parameters to model/model.iter{step}.npz")

    def evaluate(self, begin, end, step, context):
        self.writer.line(
            end, f"[{written(end)}] [valid] Ep. {context.epoch+1} : Up. {step} : cross-entropy : {context.loss:g} : new best"
        )


@style
class icefall(Style):
    source = "k2-fsa/icefall 36e0420c7 egs/librispeech/ASR/zipformer/train.py:1202, 1225 and 1234"
    by_epoch = True
    counts_from = 0
    log_every = 50
    startup = ("[train.py:1250] (0/8) Training started", "[train.py:1260] (0/8) Device: cuda:0", "[train.py:1275] (0/8) About to create model")

    def say(self, at, line, message):
        self.writer.line(at, f"{written(at)},{millis(at)} INFO [train.py:{line}] (0/8) {message}")

    def log(self, context):
        self.say(
            context.at,
            1202,
            f"Epoch {context.epoch+1}, batch {context.index-1}, loss[loss={context.loss:.4g}, simple_loss=0.41, over 16100.00 frames. ], "
            f"tot_loss[loss={context.loss:.4g}, over 3104000.00 frames. ], batch size: 54, lr: {context.lr:.2e}, ",
        )

    def evaluate(self, begin, end, step, context):
        self.say(begin, 1225, "Computing validation loss")
        self.say(end, 1234, f"Epoch {context.epoch+1}, validation: loss={context.loss:.4g}, over 944034.00 frames. ")

    def save(self, begin, end, step, context):
        self.writer.line(
            begin,
            f"{written(begin)},{millis(begin)} INFO [checkpoint.py:75] (0/8) Saving checkpoint to zipformer/exp/epoch-{context.epoch+1}.pt",
        )


@style
class coqui_tts(Style):
    source = "coqui-ai/Trainer 7704b0f trainer/logging/console_logger.py:47, 57 and 81"
    log_every = 25
    startup = (" > Training Environment:", " | > Backend: Torch", " | > Num. of GPUs: 1", " > Model has 28610257 parameters")

    def epoch_of(self, context, at):
        if context.index == 1 or context.step == context.resumed + 1:
            self.writer.line(at, f"\n\x1b[4m\x1b[1m > EPOCH: {context.epoch}/{self.job.epochs}\x1b[0m\n\n\x1b[1m > TRAINING ({written(at)}) \x1b[0m")

    def step(self, context):
        self.epoch_of(context, context.at - context.took)

    def log(self, context):
        self.writer.line(
            context.at,
            f"\n\x1b[1m   --> TIME: {written(context.at)} -- STEP: {context.index-1}/{self.job.epoch_steps} -- GLOBAL_STEP: {context.step}\x1b[0m\n"
            f"     | > loss: {context.loss}  ({context.loss})\n     | > current_lr: {context.lr} \n"
            f"     | > step_time: {context.alone:.4f}  ({context.alone:.4f})\n     | > loader_time: 0.0035  (0.0041)\n",
        )

    def save(self, begin, end, step, context):
        self.writer.line(begin, f"\n > CHECKPOINT : /out/checkpoint_{step}.pth")

    def evaluate(self, begin, end, step, context):
        self.writer.line(begin, "\n\x1b[1m > EVALUATION \x1b[0m\n")
        self.writer.line(end, f"\n  \x1b[1m--> EVAL PERFORMANCE\x1b[0m\n     | > avg_loss: {context.loss} (+0.01)\n")


@style
class wenet(Style):
    source = "wenet-e2e/wenet 01546996 wenet/utils/train_utils.py:841 and 833"
    by_epoch = True
    log_every = 100
    startup = ("the number of model params: 48,344,242",)

    def begin(self, at, resumed):
        self.writer.line(at, f"{written(at)},{millis(at)} INFO using accumulate grad, new batch size is 4 times larger than before")

    def log(self, context):
        self.writer.line(
            context.at,
            f"{written(context.at)},{millis(context.at)} DEBUG TRAIN | steps/sec {context.count/context.seconds:.3f}| "
            f"Batch {context.epoch}/{context.index} loss {context.loss:.6f} loss_att 41.1 loss_ctc 51.2 "
            f"lr {context.lr:.8f} grad_norm {context.grad_norm:.6f} rank 0",
        )

    def evaluate(self, begin, end, step, context):
        self.writer.line(
            end, f"{written(end)},{millis(end)} INFO Epoch {context.epoch} Step {step} CV info lr {context.lr:.8f} cv_loss {context.loss} rank 0 acc 0.7"
        )

    def save(self, begin, end, step, context):
        self.writer.line(begin, f"{written(begin)},{millis(begin)} INFO [Rank 0] Checkpoint: save to checkpoint exp/epoch_{context.epoch}.pt")


@style
class flair(Style):
    source = "flairNLP/flair d4ea37779 flair/trainers/trainer.py:756 and 776"
    by_epoch = True
    log_every = 20
    startup = ("Model: SequenceTagger()", "Corpus: 14987 train + 3466 dev + 3684 test sentences", "Training Params:")

    def say(self, at, message):
        self.writer.line(at, f"{written(at)},{millis(at)} {message}")

    def step(self, context):
        if context.index == 1 or context.step == context.resumed + 1:
            self.epoch_began = context.at - context.took

    def log(self, context):
        took = context.at - self.epoch_began
        self.say(
            context.at,
            f"epoch {context.epoch+1} - iter {context.index}/{self.job.epoch_steps} - loss {context.loss:.8f} - "
            f"time (sec): {took:.2f} - samples/sec: {32*context.index/took:.2f} - lr: {context.lr:.6f} - momentum: 0.000000",
        )

    def evaluate(self, begin, end, step, context):
        self.say(begin, "-" * 100)
        self.say(begin, f"EPOCH {context.epoch+1} done: loss {context.loss:.4f} - lr: {context.lr:.6f}")
        self.say(end, f"DEV : loss {context.loss} - f1-score (micro avg)  0.9")

    def save(self, begin, end, step, context):
        self.say(begin, "saving best model")


@style
class stable_baselines3(Style):
    source = "DLR-RM/stable-baselines3 e05d2dbe stable_baselines3/common/logger.py HumanOutputFormat"
    log_every = 1
    shortest_step = 2
    evaluates = False
    startup = ("Using cuda device", "Wrapping the env in a DummyVecEnv.")

    def log(self, context):
        rows = {
            "time/": "",
            "   fps": int(2048 / context.alone),
            "   iterations": context.step,
            "   time_elapsed": int(context.at - context.started),
            "   total_timesteps": context.step * 2048,
            "train/": "",
            "   approx_kl": round(0.01 * context.grad_norm, 6),
            "   learning_rate": 0.0003,
            "   loss": round(context.loss, 3),
            "   n_updates": context.step * 10,
        }
        lines = [f"| {name:<23} | {value!s:<11} |" for name, value in rows.items()]
        self.writer.line(context.at, "\n".join(["-" * 41, *lines, "-" * 41]))


@style
class dllogger_bert(Style):
    source = "NVIDIA/dllogger dllogger/logger.py StdOutBackend; DeepLearningExamples PyTorch/LanguageModeling/BERT run_pretraining.py"
    evaluates = False
    startup = ("device: cuda:0 n_gpu: 1, distributed training: True, 16-bits training: True", "DLL 2025-10-09 12:00:00.000000 - PARAMETER Config : []")

    def begin(self, at, resumed):
        self.writer.line(at, f"DLL {written(at)}.000000 - PARAMETER train_start : True ")

    def log(self, context):
        self.writer.line(
            context.at,
            f"DLL {written(context.at)}.{millis(context.at)}000 - Training Epoch: {context.epoch} Training Iteration: {context.step}  "
            f"average_loss : {context.loss}  step_loss : {context.loss}  learning_rate : {context.lr} ",
        )

    def save(self, begin, end, step, context):
        self.writer.line(begin, f"DLL {written(begin)}.000000 - PARAMETER checkpoint_step : {step} ")


@style
class xgboost(Style):
    source = "dmlc/xgboost python-package/xgboost/callback.py EvaluationMonitor"
    log_every = 1
    never_saves = True
    evaluates = False
    startup = ("loading data",)

    def log(self, context):
        self.writer.line(context.at, f"[{context.step-1}]\ttrain-rmse:{context.loss:.5f}\teval-rmse:{context.loss*1.1:.5f}")


@style
class catboost(Style):
    source = "catboost/catboost catboost/libs/logging/profile_info.cpp and train_lib: 'learn: total: remaining:'"
    log_every = 1
    never_saves = True
    evaluates = False
    startup = ("Learning rate set to 0.05",)

    def log(self, context):
        spent = context.at - context.started
        left = spent / context.step * (context.steps - context.step)
        self.writer.line(
            context.at,
            f"{context.step-1}:\tlearn: {context.loss:.7f}\ttest: {context.loss*1.1:.7f}\tbest: {context.loss*1.1:.7f} ({context.step-1})\ttotal: {spent:.3g}s\tremaining: {left:.3g}s",
        )


@style
class fairseq_progress(Style):
    source = "facebookresearch/fairseq fairseq/logging/progress_bar.py SimpleProgressBar"
    startup = ("| INFO | fairseq_cli.train | Namespace(...)", "| INFO | fairseq_cli.train | num. model params: 60,000,000")

    def log(self, context):
        epoch, index = context.epoch + 1, context.index
        self.writer.line(
            context.at,
            f"{written(context.at)} | INFO | train_inner | epoch {epoch:03d}: {index:6d} / {self.job.epoch_steps} loss={context.loss:.3f}, "
            f"ppl={math.exp(context.loss):.2f}, wps={3000/context.alone:.1f}, ups={1/context.alone:.2f}, wpb=3000, bsz=100, num_updates={context.step}, "
            f"lr={context.lr:.6g}, gnorm={context.grad_norm:.3f}, train_wall={context.seconds:.0f}, gb_free=10, wall={context.at-context.started:.0f}",
        )

    def save(self, begin, end, step, context):
        self.writer.line(
            end,
            f"{written(end)} | INFO | fairseq.checkpoint_utils | Saved checkpoint checkpoints/checkpoint_{context.epoch+1}_{step}.pt (epoch {context.epoch+1} @ {step} updates, score 4.1) (writing took {end-begin:.4f} seconds)",
        )

    def evaluate(self, begin, end, step, context):
        self.writer.line(
            end, f"{written(end)} | INFO | valid | epoch {context.epoch+1:03d} | valid on 'valid' subset | loss {context.loss:.3f} | num_updates {step}"
        )


@style
class mmcv1(Style):
    source = "open-mmlab/mmcv 1.x mmcv/runner/hooks/logger/text.py _log_info"
    by_epoch = True
    log_every = 50
    startup = ("mmdet - INFO - Environment info:", "mmdet - INFO - Distributed training: True")

    def log(self, context):
        at = context.at
        self.writer.line(
            at,
            f"{written(at)},{millis(at)} - mmdet - INFO - Epoch [{context.epoch+1}][{context.index}/{self.job.epoch_steps}]\tlr: {context.lr:.3e}, "
            f"eta: {clock((context.steps-context.step)*self.job.mean)}, time: {context.seconds/context.count:.3f}, data_time: 0.011, memory: 4211, loss: {context.loss:.4f}",
        )

    def save(self, begin, end, step, context):
        self.writer.line(begin, f"{written(begin)},{millis(begin)} - mmdet - INFO - Saving checkpoint at {context.epoch+1} epochs")

    def evaluate(self, begin, end, step, context):
        self.writer.line(
            end,
            f"{written(end)},{millis(end)} - mmdet - INFO - Epoch(val) [{context.epoch+1}][500]\tbbox_mAP: 0.3740, bbox_mAP_50: 0.5810",
        )


@style
class rl_games(Style):
    source = "Denys88/rl_games rl_games/common/a2c_common.py print_statistics"
    log_every = 1
    shortest_step = 1
    evaluates = False
    startup = ("self.seed = 42", "Started to train", "Exact experiment name requested from command line: ant")

    def log(self, context):
        self.writer.line(
            context.at,
            f"fps step: {int(65536/context.alone*1.3)} fps step and policy inference: {int(65536/context.alone*1.1)} fps total: {int(65536/context.alone)} epoch: {context.step}/{context.steps} frames: {context.step*65536}",
        )

    def save(self, begin, end, step, context):
        self.writer.line(begin, f"=> saving checkpoint 'runs/ant/nn/last_ant_ep_{step}.pth'")


@style
class spacy(Style):
    source = "explosion/spaCy spacy/training/loggers.py console_logger"
    log_every = 200
    evaluates_first = True
    startup = ("ℹ Pipeline: ['tok2vec', 'ner']", "ℹ Initial learn rate: 0.001", "E    #       LOSS TOK2VEC  LOSS NER  ENTS_F  ENTS_P  ENTS_R  SCORE ", "---  ------  ------------  --------  ------  ------  ------  ------")

    def log(self, context):
        self.writer.line(
            context.at, f"{context.epoch:3d}  {context.step:6d}  {context.loss*9:12.2f}  {context.loss*30:8.2f}   {71.2:5.2f}   {70.1:5.2f}   {72.3:5.2f}    {0.71:.2f}"
        )


@style
class fabric_mnist(Style):
    source = "LightningAI lightning-fabric examples/fabric/image_classifier/train_fabric.py:153"
    by_epoch = True
    log_every = 10
    startup = ("Seed set to 42", "Using bfloat16 Automatic Mixed Precision (AMP)")

    def log(self, context):
        self.writer.line(
            context.at,
            f"Train Epoch: {context.epoch+1} [{context.index*64}/{self.job.epoch_steps*64} ({100*context.index/self.job.epoch_steps:.0f}%)]\tLoss: {context.loss:.6f}",
        )

    def evaluate(self, begin, end, step, context):
        self.writer.line(end, f"\nTest set: Average loss: {context.loss:.4f}, Accuracy: (97%)\n")
