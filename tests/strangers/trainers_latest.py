"""Logs of trainers of robots, video, segmentation, molecules and retrieval, written before the parser saw any of them."""

import json

from job import Bar, Style, absl, clock, hms, millis, style, written


def big(number):
    """As lerobot abbreviates a number."""
    for suffix in ("", "K", "M"):
        if number < 1000:
            return f"{number:.0f}{suffix}"
        number /= 1000
    return f"{number:.0f}B"


@style
class lerobot(Style):
    source = "huggingface/lerobot scripts/train.py log_train_info (2024), common/utils format_big_number"
    startup = ("INFO 2025-05-01 10:00:00 ts/train.py:111 Creating dataset", "INFO 2025-05-01 10:00:01 ts/train.py:130 Creating policy")

    def say(self, at, message):
        self.writer.line(at, f'INFO {written(at)} n/train.py:162 {message}', "e")

    def begin(self, at, resumed):
        self.say(at, "Start offline training on a fixed dataset")

    def log(self, context):
        self.say(
            context.at,
            f"step:{big(context.step)} smpl:{big(context.step*8)} ep:{big(context.step*8/300)} epch:{context.step*8/25600:.2f} loss:{context.loss:.3f} grdn:{context.grad_norm:.3f} lr:{context.lr:0.1e} updt_s:{context.alone:.3f} data_s:0.003",
        )

    def save(self, begin, end, step, context):
        self.say(begin, f"Checkpoint policy after step {step}")
        self.say(end, "Resume training")

    def evaluate(self, begin, end, step, context):
        self.say(begin, f"Eval policy at step {step}")
        self.say(end, f"step:{big(step)} smpl:{big(step*8)} ep:12 epch:0.31 \u2211rwrd:12.100 success:20.0% eval_s:{end-begin:.3f}")


@style
class slowfast(Style):
    source = "facebookresearch/SlowFast slowfast/utils/meters.py TrainMeter.log_iter_stats, logging.py log_json_stats"
    by_epoch = True
    startup = ("[05/01 10:00:00][INFO] train_net.py: 559: Train with config:",)

    def say(self, at, file, message):
        self.writer.line(at, f'[{written(at,"%m/%d %H:%M:%S")}][INFO] {file}: {message}')

    def begin(self, at, resumed):
        self.say(at, "train_net.py: 568", f"Start epoch: {resumed//self.job.epoch_steps+1}")

    def stats(self, at, **values):
        self.say(at, "logging.py:  99", "json_stats: " + json.dumps(values, sort_keys=True))

    def log(self, context):
        self.stats(
            context.at,
            _type="train_iter",
            epoch=f"{context.epoch+1}/{self.job.epochs}",
            iter=f"{context.index}/{self.job.epoch_steps}",
            dt=round(context.took, 5),
            dt_data=0.00151,
            dt_net=round(context.alone, 5),
            eta=clock((context.steps - context.step) * self.job.mean),
            loss=round(context.loss, 5),
            lr=round(context.lr, 5),
            gpu_mem="12.31G",
        )

    def save(self, begin, end, step, context):
        self.stats(begin, _type="train_epoch", epoch=f"{context.epoch+1}/{self.job.epochs}", dt=round(self.job.mean, 5), eta="0:10:12", loss=2.1, RAM="21.2/120G")

    def evaluate(self, begin, end, step, context):
        for i in range(1, 4):
            self.stats(
                begin + (end - begin) * i / 4,
                _type="val_iter",
                epoch=f"{context.epoch+1}/{self.job.epochs}",
                iter=f"{i*10}/40",
                time_diff=0.31,
                eta="0:00:09",
                top1_err=41.2,
            )
        self.stats(end, _type="val_epoch", epoch=f"{context.epoch+1}/{self.job.epochs}", top1_err=40.1, min_top1_err=40.1)


@style
class mlx_lm(Style):
    source = "ml-explore/mlx-lm tuner/trainer.py train()"
    startup = ("Loading pretrained model", "Loading datasets", "Training")

    def begin(self, at, resumed):
        self.writer.line(at, f"Starting training..., iters: {self.job.steps}")

    def log(self, context):
        rate = context.count / context.seconds
        self.writer.line(
            context.at,
            f"Iter {context.step}: Train loss {context.loss:.3f}, Learning Rate {context.lr:.3e}, It/sec {rate:.3f}, Tokens/sec {rate*512:.3f}, Trained Tokens {context.step*512}, Peak mem 14.123 GB",
        )

    def save(self, begin, end, step, context):
        self.writer.line(end, f"Iter {step}: Saved adapter weights to adapters/adapters.safetensors and adapters/{step:07d}_adapters.safetensors.")

    def evaluate(self, begin, end, step, context):
        self.writer.line(end, f"Iter {step}: Val loss {context.loss:.3f}, Val took {end-begin:.3f}s")


@style
class paddleseg(Style):
    source = "PaddlePaddle/PaddleSeg paddleseg/core/train.py:233, core/val.py, utils/logger.py"
    startup = ("2024-05-01 10:00:00 [INFO]\t\n------------Environment Information-------------",)

    def say(self, at, message):
        self.writer.line(at, f"{written(at)} [INFO]\t{message}")

    def log(self, context):
        cost = context.seconds / context.count
        self.say(
            context.at,
            f"[TRAIN] epoch: {context.epoch+1}, iter: {context.step}/{context.steps}, loss: {context.loss:.4f}, lr: {context.lr:.6f}, batch_cost: {cost:.4f}, reader_cost: 0.00121, ips: {8/cost:.4f} samples/sec | ETA {clock((context.steps-context.step)*cost).rjust(8,'0')}",
        )

    def evaluate(self, begin, end, step, context):
        self.say(begin, "Start evaluating (total_samples: 500, total_iters: 500)...")
        for i in (1, 250, 500):
            self.writer.raw(begin + (end - begin) * i / 501, f"\r{i}/500 [==============================] - {int((end-begin)*i/500)}s 80ms/step - batch_cost: 0.0801 - reader cost: 0.001", "o")
        self.writer.line(end, "")
        self.say(end, "[EVAL] #Images: 500 mIoU: 0.5123 Acc: 0.9012 Kappa: 0.8712 Dice: 0.6512")


@style
class openpcdet(Style):
    source = "open-mmlab/OpenPCDet tools/train_utils/train_utils.py train_one_epoch"
    by_epoch = True
    logs_epoch_end = True
    logs_first_step = True
    evaluates = False
    startup = ("2024-05-01 10:00:00,123   INFO  **********************Start logging**********************",)

    def say(self, at, message):
        self.writer.line(at, f"{written(at)},{millis(at)}   INFO  {message}")

    def begin(self, at, resumed):
        self.began, self.epoch_began, self.epoch = at, at, None
        self.say(at, "**********************Start training kitti_models/pv_rcnn(default)**********************")

    def step(self, context):
        if context.epoch != self.epoch:
            self.epoch, self.epoch_began = context.epoch, context.at - context.took

    def log(self, context):
        steps, elapsed = self.job.epoch_steps, context.at - self.epoch_began
        each = elapsed / context.index
        self.say(
            context.at,
            f"Train: {context.epoch+1:>4d}/{self.job.epochs} ({100*(context.epoch+1)/self.job.epochs:>3.0f}%) [{context.index-1:>4d}/{steps} ({100*(context.index-1)/steps:>3.0f}%)]  Loss: {context.loss:#.4g} ({context.loss:#.3g})  LR: {context.lr:.3e}  Time cost: {hms(elapsed)}/{hms(each*(steps-context.index+1))} [{hms(context.at-self.began)}/{hms(each*(context.steps-context.step))}]  Acc_iter {context.step:<10d}  Data time: 0.01(0.02)  Forward time: {context.took:.2f}({each:.2f})  Batch time: {context.took:.2f}({each:.2f})",
        )


@style
class llama_recipes(Style):
    source = "meta-llama/llama-cookbook src/llama_cookbook/utils/train_utils.py train()"
    by_epoch = True
    log_every = 1
    startup = ("--> Model meta-llama/Llama-2-7b-hf", "--> meta-llama/Llama-2-7b-hf has 6738.415616 Million params")
    bar = None

    def begin(self, at, resumed):
        self.bar = None

    def step(self, context):
        if self.bar is None:
            started_at = context.at - context.took
            self.writer.line(started_at, f"Starting epoch {context.epoch}/{self.job.epochs}")
            self.bar = Bar(self.writer, started_at, self.job.epoch_steps, desc=f"Training Epoch: {context.epoch+1}")
        self.bar.desc = f"Training Epoch: {context.epoch+1}/{self.job.epochs}, step {context.index-1}/{self.job.epoch_steps} completed (loss: {context.loss:.16f})"
        self.bar.update(context.at)

    def save(self, begin, end, step, context):
        if self.bar:
            self.bar.close(begin)
            self.bar = None
        self.writer.line(begin, "we are about to save the PEFT modules")
        self.writer.line(end, "PEFT modules are saved in ./out directory")
        self.writer.line(end, f"Epoch {context.epoch+1}: train_perplexity=3.1021, train_epoch_loss=1.1321, epoch time {self.job.epoch_steps*self.job.mean}s")

    def evaluate(self, begin, end, step, context):
        bar = Bar(self.writer, begin, 40, desc="evaluating Epoch")
        for i in range(1, 41):
            bar.update(begin + (end - begin) * i / 40)
        bar.close(end)
        self.writer.line(end, " eval_ppl=tensor(3.1, device='cuda:0') eval_epoch_loss=tensor(1.13, device='cuda:0')")


@style
class cryodrgn(Style):
    source = "ml-struct-bio/cryodrgn cryodrgn/commands/train_vae.py"
    by_epoch = True
    evaluates = False
    startup = ("(INFO) (train_vae.py) (01-May-24 10:00:00) cryodrgn train_vae particles.mrcs",)

    def say(self, at, message):
        self.writer.line(at, f'(INFO) (train_vae.py) ({written(at,"%d-%b-%y %H:%M:%S")}) {message}', "e")

    def begin(self, at, resumed):
        self.epoch_began = at

    def log(self, context):
        total = self.job.epoch_steps * 8
        self.say(
            context.at,
            f"# [Train Epoch: {context.epoch+1}/{self.job.epochs}] [{context.index*8}/{total} particles] gen loss={context.loss:.6f}, kld=7.100000, beta=0.500000, loss={context.loss:.6f}",
        )

    def save(self, begin, end, step, context):
        self.say(
            begin,
            f"# =====> Epoch: {context.epoch+1} Average gen loss = {context.loss:.6}, KLD = 7.1, total loss = {context.loss:.6f}; Finished in {clock(begin-self.epoch_began)}.{int(begin%1*1e6):06d}",
        )
        self.epoch_began = end


@style
class tensorpack(Style):
    source = "tensorpack/tensorpack train/base.py:275, utils/logger.py, callbacks/saver.py; tqdm of utils/utils.py get_tqdm"
    by_epoch = True
    log_every = 1
    startup = ("[0501 10:00:00 @input_source.py:221] Setting up the queue 'QueueInput/input_queue' for CPU prefetching ...",)
    bar = None

    def say(self, at, place, message):
        self.writer.line(at, f'\x1b[32m[{written(at,"%m%d %H:%M:%S")} @{place}]\x1b[0m {message}', "e")

    def begin(self, at, resumed):
        self.bar = None

    def step(self, context):
        if self.bar is None:
            self.started_at = context.at - context.took
            self.say(self.started_at, "base.py:275", f"Start Epoch {context.epoch+1} ...")
            self.bar = Bar(self.writer, self.started_at, self.job.epoch_steps)
        self.bar.update(context.at)

    def save(self, begin, end, step, context):
        self.bar.close(begin)
        self.bar = None
        seconds = begin - self.started_at
        spelled = f"{int(seconds//60)} minutes {seconds%60:.0f} seconds" if seconds >= 60 else f"{seconds:.3g} seconds"
        self.say(begin, "base.py:285", f"Epoch {context.epoch+1} (global_step {step}) finished, time:{spelled}.")
        self.say(end, "saver.py:82", f"Model saved to train_log/resnet/model-{step}.")

    def evaluate(self, begin, end, step, context):
        bar = Bar(self.writer, begin, 196)
        for i in range(1, 197):
            bar.update(begin + (end - begin) * i / 197)
        bar.close(end)
        self.say(end, "monitor.py:474", "val-error-top1: 0.41212")


@style
class dpr(Style):
    source = "facebookresearch/DPR train_dense_encoder.py _train_epoch, validate_and_save"
    by_epoch = True
    evaluates_first = True
    startup = ("[140][10:00:00][INFO] ***** Initializing components for training *****",)

    def say(self, at, message):
        self.writer.line(at, f'{written(at)} [INFO] train_dense_encoder: {message}')

    def restore(self, begin, end, resumed):
        self.say(begin, "Reading saved model from outputs/dpr_biencoder.1")
        self.say(end, f"Loading checkpoint @ batch=0 and epoch={resumed//self.job.epoch_steps}")

    def begin(self, at, resumed):
        self.say(at, f"  Total updates={self.job.steps}")
        self.say(at, f"***** Epoch {resumed//self.job.epoch_steps} *****")

    def log(self, context):
        self.say(
            context.at,
            f"Epoch: {context.epoch}: Step: {context.index}/{self.job.epoch_steps}, loss={context.loss:.6f}, lr={context.lr:.6f}",
        )

    def evaluate(self, begin, end, step, context):
        self.say(begin, "NLL validation ...")
        for i in (100, 200, 300):
            self.say(begin + (end - begin) * i / 400, f"Eval step: {i} , used_time={(end-begin)*i/400:f} sec., loss={context.loss:.6f} ")
        self.say(end, f"NLL Validation: loss = {context.loss:.6f}. correct prediction ratio  6120/6515 ~  0.939371")

    def save(self, begin, end, step, context):
        self.say(end, f"Saved checkpoint at outputs/dpr_biencoder.{context.epoch}")
        if step < self.job.steps:
            self.say(end, f"***** Epoch {context.epoch+1} *****")


@style
class habitat(Style):
    source = "facebookresearch/habitat-lab habitat_baselines/rl/ppo/ppo_trainer.py _training_log"
    evaluates = False
    startup = ("2024-05-01 10:00:00,123 Initializing dataset PointNav-v1",)

    def say(self, at, message):
        self.writer.line(at, f"{written(at)},{millis(at)} {message}", "e")

    def begin(self, at, resumed):
        self.began = at
        self.say(at, "agent number of trainable parameters: 12484133")

    def log(self, context):
        frames = context.step * 2048
        self.say(context.at, f"update: {context.step}\tfps: {frames/(context.at-self.began+1):.3f}\t")
        self.say(
            context.at,
            f"update: {context.step}\tenv-time: {context.trained*.6:.3f}s\tpth-time: {context.trained*.4:.3f}s\tframes: {frames}",
        )
        self.say(context.at, f"Average window size: 50  distance_to_goal: 4.312  reward: {5-context.loss:.3f}  spl: 0.312  success: 0.412")


@style
class deepchem(Style):
    source = "deepchem/deepchem models/torch_models/torch_model.py fit_generator (log_frequency)"
    evaluates = False
    startup = ("Skipped loading some Tensorflow models, missing a dependency. No module named 'tensorflow'",)

    def log(self, context):
        self.writer.line(context.at, f"Ending global_step {context.step}: Average loss {context.loss:g}", "e")

    def end(self, at):
        self.writer.line(at, f"TIMING: model fitting took {at-self.writer.started:.3f} s", "e")


@style
class pytorch_xla(Style):
    source = "pytorch/xla test/test_train_mp_imagenet.py, test_utils.py print_training_update"
    by_epoch = True
    counts_from = 0
    startup = ("==> Preparing data..",)

    def begin(self, at, resumed):
        self.writer.line(at, f'Epoch {resumed//self.job.epoch_steps+1} train begin {written(at,"%-I:%M%p UTC on %b %d, %Y")}')

    def log(self, context):
        rate = 1024 / context.took
        self.writer.line(
            context.at,
            f'| Training Device=xla:0/0 Epoch={context.epoch+1} Step={context.index-1} Loss={context.loss:.5f} Rate={rate:.2f} GlobalRate={1024/self.job.mean:.2f} Time={written(context.at,"%H:%M:%S")}',
        )

    def save(self, begin, end, step, context):
        self.writer.line(begin, f'Epoch {context.epoch+1} train end {written(begin,"%-I:%M%p UTC on %b %d, %Y")}')

    def evaluate(self, begin, end, step, context):
        for i in (0, 10, 20):
            self.writer.line(begin + (end - begin) * (i + 1) / 30, f"| Test Device=xla:0/0 Step={i} Epoch={context.epoch+1} Time={written(begin,'%H:%M:%S')}")
        self.writer.line(end, f"Epoch {context.epoch+1} test end {written(end,'%-I:%M%p UTC on %b %d, %Y')}, Accuracy=61.20")
        self.writer.line(end, f"Epoch {context.epoch+2} train begin {written(end,'%-I:%M%p UTC on %b %d, %Y')}")


@style
class parlai(Style):
    source = "facebookresearch/ParlAI scripts/train_model.py TrainLoop.log, utils/misc.py nice_report"
    startup = ("10:00:00 | building dictionary first...", "10:00:09 | Using CUDA")

    def say(self, at, message):
        self.writer.line(at, f'{written(at,"%H:%M:%S")} | {message}', "e")

    def begin(self, at, resumed):
        self.began = at
        self.say(at, "training...")

    def log(self, context):
        self.say(
            context.at,
            f"time:{context.at-self.began:.0f}s total_exs:{context.step*64} total_steps:{context.step} epochs:{context.step*64/130000:.2f} time_left:{(context.steps-context.step)*self.job.mean:.0f}s",
        )
        self.writer.line(context.at, "    clen  clip  ctpb  ctps  exps  exs  gnorm  gpu_mem  loss     lr  ltpb  ltps   ppl  token_acc  total_train_updates  tpb  tps  ups", "e")
        self.writer.line(
            context.at,
            f"   102.1     1  6534  9123  89.2 {context.count*64}  {context.grad_norm:.3f}    .2311 {context.loss:.3f} {context.lr:.5f}  1341  1872 20.12      .3812 {context.step:>20} 7875 10995 {context.count/context.seconds:.3f}",
            "e",
        )

    def evaluate(self, begin, end, step, context):
        self.say(begin, "running eval: valid")
        self.say(end, f"eval completed in {end-begin:.2f}s")

    def save(self, begin, end, step, context):
        self.say(begin, "saving best valid model: /tmp/model")


@style
class d3rlpy(Style):
    source = "takuseno/d3rlpy d3rlpy/algos/qlearning/base.py fitter, logging/logger.py (structlog)"
    by_epoch = True
    log_every = 1
    evaluates = False
    startup = ("2024-05-01 10:00.00 [info     ] Parameters                     params={'batch_size': 256}",)
    bar = None

    def begin(self, at, resumed):
        self.bar = None
        self.writer.line(at, f"{written(at,'%Y-%m-%d %H:%M.%S')} [debug    ] Building models...            ")

    def step(self, context):
        if self.bar is None:
            self.bar = Bar(self.writer, context.at - context.took, self.job.epoch_steps, desc=f"Epoch {context.epoch+1}/{self.job.epochs}")
        self.bar.update(context.at, postfix=f"critic_loss={context.loss:.3g}, actor_loss=-2.1")

    def save(self, begin, end, step, context):
        self.bar.close(begin)
        self.bar = None
        self.writer.line(
            begin,
            f"{written(begin,'%Y-%m-%d %H:%M.%S')} [info     ] CQL_20240501100000: epoch={context.epoch+1} step={step} epoch={context.epoch+1} metrics={{'time_sample_batch': 0.0003, 'time_algorithm_update': {self.job.mean*.99}, 'critic_loss': {context.loss}, 'time_step': {self.job.mean}}} step={step}",
        )
        self.writer.line(end, f"{written(end,'%Y-%m-%d %H:%M.%S')} [info     ] Model parameters are saved to d3rlpy_logs/CQL_20240501100000/model_{step}.d3")


@style
class acme(Style):
    source = "google-deepmind/acme utils/loggers/terminal.py, base.py serialize; jax learners' counters"
    startup = ("I0501 10:00:00.000000 140 builder.py:112] Creating learner",)

    def begin(self, at, resumed):
        self.began = at

    def log(self, context):
        self.writer.line(
            context.at,
            absl(context.at, "terminal.py", 91, f"[Learner] Actor Steps = {context.step*100} | Critic Loss = {context.loss:.3f} | Learner Steps = {context.step} | Learner Walltime = {context.at-self.began:.3f} | Steps Per Second = {1/context.took:.3f}"),
            "e",
        )

    def evaluate(self, begin, end, step, context):
        for i in range(1, 4):
            at = begin + (end - begin) * i / 4
            self.writer.line(at, absl(at, "terminal.py", 91, f"[Evaluator] Episode Length = 1000 | Episode Return = 312.123 | Evaluator Episodes = {step//10+i} | Evaluator Steps = {(step//10+i)*1000} | Steps Per Second = 812.1"), "e")

    def save(self, begin, end, step, context):
        self.writer.line(end, absl(end, "savers.py", 164, "Saving checkpoint: /root/acme/20240501/checkpoints/learner"), "e")


@style
class cellpose(Style):
    source = "MouseLand/cellpose cellpose/train.py train_seg (an epoch is a step here; every tenth)"
    log_every = 10
    evaluates = False
    startup = ("2024-05-01 10:00:00,123 [INFO] >>> using GPU (CUDA)",)

    def begin(self, at, resumed):
        self.began = at
        self.writer.line(at, f"{written(at)},{millis(at)} [INFO] >>> n_epochs={self.job.steps}, n_train=540, n_test=60", "e")

    def log(self, context):
        self.writer.line(
            context.at,
            f"{written(context.at)},{millis(context.at)} [INFO] {context.step}, train_loss={context.loss:.4f}, test_loss={context.loss*1.1:.4f}, LR={context.lr:.6f}, time {context.at-self.began:.2f}s",
            "e",
        )

    def save(self, begin, end, step, context):
        self.writer.line(end, f"{written(end)},{millis(end)} [INFO] saving network parameters to models/cellpose_{step}", "e")


@style
class nequip(Style):
    source = "mir-group/nequip 0.5 nequip/train/trainer.py end_of_batch_log, end_of_epoch_log"
    by_epoch = True
    startup = ("Torch device: cuda", "Processing dataset...", "Successfully built the network...")

    def begin(self, at, resumed):
        self.began = at
        self.writer.line(at, "! Starting training ...", "e")
        self.header(at)

    def header(self, at):
        self.writer.line(at, "training", "e")
        self.writer.line(at, "# Epoch batch         loss       loss_f       loss_e        f_mae       f_rmse", "e")

    def log(self, context):
        self.writer.line(
            context.at,
            f"{context.epoch+1:7d} {context.index:5d} {context.loss:12.3g} {context.loss*.9:12.3g} {context.loss*.1:12.3g}       0.0312       0.0512",
            "e",
        )

    def evaluate(self, begin, end, step, context):
        self.writer.line(begin, "validation", "e")
        self.writer.line(begin, "# Epoch batch         loss       loss_f       loss_e        f_mae       f_rmse", "e")
        for i in (1, 2, 3):
            self.writer.line(begin + (end - begin) * i / 4, f"{context.epoch+1:7d} {i*5:5d}         1.12         1.01         0.11       0.0312       0.0512", "e")
        self.writer.line(end, "  Train      #    Epoch      wal       LR       loss_f       loss_e         loss        f_mae       f_rmse", "e")
        self.writer.line(end, f"! Train        {context.epoch+1:8d} {end-self.began:8.3f}    0.005        0.912         0.12         1.03       0.0312       0.0512", "e")
        self.writer.line(end, f"! Validation   {context.epoch+1:8d} {end-self.began:8.3f}    0.005        0.912         0.12         1.03       0.0312       0.0512", "e")
        self.header(end)


@style
class skorch(Style):
    source = "skorch-dev/skorch skorch/callbacks/logging.py PrintLog (an epoch is a step here)"
    log_every = 1
    evaluates = False
    never_saves = True
    startup = ("Fetching data",)

    def begin(self, at, resumed):
        self.first = True

    def log(self, context):
        if self.first:
            self.writer.line(context.at, "  epoch    train_loss    valid_acc    valid_loss      dur")
            self.writer.line(context.at, "-------  ------------  -----------  ------------  -------")
        self.first = False
        self.writer.line(context.at, f"{context.step:7d} {context.loss:13.4f} {0.6:12.4f} {context.loss*1.1:13.4f} {context.took:8.4f}")
