"""Logs of NeMo, Lightning and of trainers that fit nowhere else."""

import math

from job import Bar, Style, millis, spelled, style, written


@style
class nemo_rl(Style):
    source = "NVIDIA-NeMo/RL nemo_rl/algorithms/sft.py:439,582,612-640"
    log_every = 1
    shortest_step = 1
    startup = (
        "▶ Setting up data...",
        "▶ Setting up model...",
        "  ✓ Model initialized",
        "\n============================================================\n                  SETUP COMPLETE                  \n",
    )

    def step(self, context):
        t0 = context.at - context.took
        if context.index == 1 or context.step == context.resumed + 1:
            self.writer.line(t0, f'\n{"="*25} Epoch {context.epoch+1}/{self.job.epochs} {"="*25}')
        self.writer.line(t0, f'\n{"="*25} Step {context.index}/{min(self.job.epoch_steps,context.steps)} {"="*25}')
        self.writer.line(t0 + 0.01, "▶ Preparing batch...")
        self.writer.line(t0 + 0.05, "▶ Taking a training step...")
        self.writer.line(
            context.at,
            f"\n📊 Training Results:\n  • Loss: {context.loss:.4f}\n\n⏱️  Timing:\n  • Total step time: {context.took:.2f}s\n  • policy_training: {context.took*.98:.2f}s (98.0%)\n  • data_processing: {context.took*.01:.2f}s (1.0%)",
        )

    def save(self, begin, end, step, context):
        self.writer.line(begin, f"Saving checkpoint for step {step}...")

    def evaluate(self, begin, end, step, context):
        self.writer.line(begin, f"▶ Starting validation at step {step}...")
        self.writer.line(
            end,
            f"\n📊 Validation Results:\n    • Validation loss: {context.loss:.4f}\n\n  ⏱️  Validation Timing:\n    • Total validation time: {end-begin:.2f}s",
        )


@style
class nemo1(Style):
    source = "NVIDIA-NeMo issue #7957, NeMo-Framework-Launcher #55 (Lightning bar)"
    log_every = 1
    evaluates = False
    startup = (
        "[NeMo I 2025-10-09 12:00:01 megatron_gpt_pretraining:30] ************** Experiment configuration ***********",
        "[NeMo I 2025-10-09 12:00:20 megatron_init:241] All data parallel group ranks: [[0]]",
    )

    def restore(self, begin, end, resumed):
        self.writer.line(
            begin,
            f"Restoring states from the checkpoint path at /ckpt/megatron_gpt--step={resumed}-consumed_samples={resumed*64}.0.ckpt",
        )
        self.writer.line(end, "Restored all states from the checkpoint at /ckpt/m.ckpt")

    def begin(self, at, resumed):
        self.bar = Bar(self.writer, at, self.job.steps, resumed, desc="Epoch 0: ")

    def step(self, context):
        self.bar.update(
            context.at,
            1,
            f"v_num=0-56, reduced_train_loss={context.loss:.3f}, global_step={context.step-1:.3f}"[:60]
            + f", consumed_samples={context.step*64:.3f}, train_step_timing in s={context.took:.3f}",
        )

    def save(self, begin, end, step, context):
        self.writer.line(
            end,
            f"Epoch 0, global step {step}: 'val_loss' reached {context.loss:.5f} (best {context.loss:.5f}), saving model to '/ckpt/megatron_gpt--val_loss=7.04-step={step}-consumed_samples={step*64}.0.ckpt' as top 3",
            "e",
        )


@style
class nemo2(Style):
    source = 'NeMo 2 (find_string "train_step_timing in s: "): Training epoch 0, iteration 45/99 | ...'
    counts_from = 0
    startup = (
        "[NeMo I 2025-10-09 12:00:01 nemo_logging:393] Experiments will be logged at /nemo",
        '[NeMo W 2025-10-09 12:00:20 nemo_logging:405] "update_logger_directory" is True',
    )

    def restore(self, begin, end, resumed):
        self.writer.line(
            begin, f"[NeMo I {written(begin)} nemo_logging:393] Using <fully_sharded> dist-ckpt load strategy."
        )
        self.writer.line(
            end,
            f"[NeMo I {written(end)} nemo_logging:393] Global Checkpoint Load : Rank : 0 : Start time : {begin:.3f}s : Time spent in load_checkpoint: {end-begin:.3f}s",
        )

    def log(self, context):
        self.writer.line(
            context.at,
            f"Training epoch 0, iteration {context.printed}/{context.steps-1} | lr: {context.lr:.4g} | global_batch_size: 128 | global_step: {context.printed} | max_memory_reserved: 127785762816 | reduced_train_loss: {context.loss:.4g} | train_step_timing in s: {context.took:.4g} | TFLOPS_per_GPU: 1.249e+03 | consumed_samples: {context.step*128}",
        )

    def save(self, begin, end, step, context):
        self.writer.line(
            end,
            f"[NeMo I {written(end)} nemo_logging:393] Global Checkpoint Save : Rank: 0 : Iteration: {step-1} : Start time: {begin:.3f}s : Save duration: {end-begin:.3f}s",
        )

    def evaluate(self, begin, end, step, context):
        for i in range(0, 8):
            self.writer.line(begin + (end - begin) * i / 8, f"Validation: iteration {i+1}/8")


@style
class lightning_bar(Style):
    source = "Lightning TQDMProgressBar default (Epoch 0:  10%|█ | 12/120 [..it/s, v_num=0, train_loss=..])"
    by_epoch = True
    log_every = 1
    startup = (
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
        "\n  | Name  | Type | Params\n-------------------------\n0 | model | GPT | 124 M",
    )

    def restore(self, begin, end, resumed):
        self.writer.line(
            begin,
            f"Restoring states from the checkpoint path at /ckpt/epoch={resumed//self.job.epoch_steps-1}-step={resumed}.ckpt",
            "e",
        )
        self.writer.line(end, "Restored all states from the checkpoint at /ckpt/x.ckpt", "e")

    def begin(self, at, resumed):
        self.bar = None

    def step(self, context):
        if self.bar is None or context.index == 1:
            self.writer.raw(context.at - context.took, "\n", "o") if self.bar else 0
            self.bar = Bar(
                self.writer, context.at - context.took, self.job.epoch_steps, desc=f"Epoch {context.epoch}", stream="o"
            )
        self.bar.update(context.at, 1, f"v_num=0, train_loss={context.loss:.3f}")

    def evaluate(self, begin, end, step, context):
        bar = Bar(self.writer, begin, 20, desc="Validation DataLoader 0", stream="o")
        for i in range(20):
            bar.update(begin + (end - begin) * (i + 1) / 20)
        self.bar.show(end, True)

    def end(self, at):
        self.writer.line(at, "\n`Trainer.fit` stopped: `max_epochs=%d` reached." % self.job.epochs, "e")


@style
class colossal_llama(Style):
    source = "hpcaitech/ColossalAI applications/Colossal-LLaMA/train.py:340-400"
    log_every = 1
    evaluates = False
    startup = (
        "Configuration file will be saved at: cfg.json",
        "Model params: 6.74 B",
        "Booster init max CUDA memory: 20000.00 MB",
    )

    def restore(self, begin, end, resumed):
        self.writer.line(begin, "Load model/optimizer/lr_scheduler from ckpt")
        self.writer.line(end, f"Loaded checkpoint ckpt/epoch-0_step-{resumed} at epoch 0 step {resumed}")

    def begin(self, at, resumed):
        self.bar = Bar(self.writer, at, self.job.steps, resumed, desc="Epoch 0")

    def step(self, context):
        self.bar.update(context.at, 1, f"Loss={context.loss:.4f}")

    def save(self, begin, end, step, context):
        self.writer.line(begin, "\nStart saving model checkpoint with running states")
        self.writer.line(end, f"Saved checkpoint at epoch 0 step {step} at folder ckpt")


@style
class easydel(Style):
    source = "erfanzar/EasyDeL trainers/metrics.py JSONProgressBar (logger.info(kwargs))"
    log_every = 10
    evaluates = False
    startup = ("12:00:00 INFO     [Trainer] Time For configuration : 0.4",)

    def log(self, context):
        self.writer.line(
            context.at,
            f'({written(context.at,"%H:%M:%S")} BaseTrainer) {{"loss": {context.loss:.3f}, "learning_rate": {context.lr}, "step": {context.step}, "step_time": {context.alone:.3f}, "perplexity": {math.exp(context.loss):.3f}, "epoch": 0}}',
        )

    def save(self, begin, end, step, context):
        self.writer.line(begin, f'({written(begin,"%H:%M:%S")} BaseTrainer) saving state run-{step}.')


@style
class espnet2(Style):
    source = "espnet/espnet issues #2183, #5147, #2674 (1epoch:train:1-682batch:)"
    by_epoch = True
    log_every = 50
    startup = (
        "# python3 -m espnet2.bin.asr_train --use_preprocessor true",
        "# Started at Thu Oct  9 12:00:00 UTC 2025",
    )

    def say(self, at, line, message):
        self.writer.line(at, f"[gpu01:0/2] {written(at)},{millis(at)} (trainer:{line}) INFO: {message}")

    def restore(self, begin, end, resumed):
        self.say(end, 162, "The training was resumed using exp/asr/checkpoint.pth")

    def step(self, context):
        if context.index == 1 or context.step == context.resumed + 1:
            self.say(
                context.at - context.took,
                272,
                f"{context.epoch+1}/{self.job.epochs}epoch started. Estimated time to finish: 1 hour, 31 minutes and 58.52 seconds",
            )

    def log(self, context):
        self.say(
            context.at,
            737,
            f"{context.epoch+1}epoch:train:{context.index-context.count+1}-{context.index}batch: iter_time=2.878e-04, forward_time=0.134, loss_ctc=232.499, loss={context.loss:.3f}, acc=0.013, backward_time=0.111, optim_step_time=0.030, optim0_lr0={context.lr:.3e}, train_time={context.seconds/context.count:.3f}",
        )

    def evaluate(self, begin, end, step, context):
        self.say(
            end,
            338,
            f"{context.epoch+1}epoch results: [train] iter_time=0.001, forward_time=0.005, loss={context.loss:.3f}, train_time=0.013, time={spelled(self.job.epoch_steps*self.job.mean)}, total_count={step}, [valid] loss={context.loss:.3f}, time=3 seconds",
        )

    def save(self, begin, end, step, context):
        self.say(end, 386, "The best model has been updated: valid.acc")


@style
class raytrain(Style):
    source = "ray-project/ray issues #36866, #36795"
    log_every = 1
    shortest_step = 8
    evaluates = False
    startup = (
        "2025-10-09 12:00:00,123\tINFO worker.py:1625 -- Started a local Ray instance.",
        "View detailed results here: /tmp/ray_results/x",
        "Training started with configuration:\n╭──────────────────╮\n│ Training config  │\n╰──────────────────╯",
    )

    def log(self, context):
        self.writer.line(
            context.at,
            f"Training finished iteration {context.step} at {written(context.at)}. Total running time: {spelled(context.at-self.writer.started)}\n╭───────────────────────────────────────────────╮\n│ Training result                               │\n├───────────────────────────────────────────────┤\n│ time_this_iter_s                      {context.since_step:7.5f} │\n│ time_total_s                          {context.at-self.writer.started:7.4f} │\n│ training_iteration                         {context.step:3d} │\n│ acc                                         1 │\n│ loss                                  {context.loss:.5f} │\n╰───────────────────────────────────────────────╯",
        )

    def save(self, begin, end, step, context):
        self.writer.line(
            end, f"Training saved a checkpoint for iteration {step} at: (local)/tmp/ray_results/x/checkpoint_{step:06d}"
        )


@style
class easylm(Style):
    source = "young-geng/EasyLM llama_train.py tqdm.write(pprint.pformat(log_metrics)) "
    counts_from = 0
    evaluates = False
    startup = ("I1009 12:00:00.000000 140 xla_bridge.py:603] Unable to initialize backend",)

    def begin(self, at, resumed):
        self.bar = Bar(self.writer, at, self.job.steps - resumed)
        self.resumed = resumed

    def step(self, context):
        self.bar.update(context.at)

    def log(self, context):
        self.writer.raw(context.at, "\r" + " " * 60 + "\r", "e")
        self.writer.line(
            context.at,
            "\n{'accuracy': 0.31,\n 'gradient_norm': %r,\n 'learning_rate': %r,\n 'loss': %r,\n 'param_norm': 411.2,\n 'step': %d}\n"
            % (context.grad_norm, context.lr, context.loss, context.printed),
        )
        self.bar.show(context.at, True)


@style
class kohya(Style):
    source = 'kohya-ss/sd-scripts train_network.py:1358,1515 (desc="steps", avr_loss)'
    log_every = 1
    evaluates = False
    startup = (
        "2025-10-09 12:00:00 INFO     Loading settings from config.toml",
        "prepare optimizer, data loader etc.",
        "running training / 学習開始",
        "  num train images * repeats / 学習画像の数×繰り返し回数: 400",
        "  num epochs / epoch数: 10",
    )

    def begin(self, at, resumed):
        self.bar = Bar(self.writer, at, self.job.steps - resumed, desc="steps")

    def step(self, context):
        if context.index == 1:
            self.writer.line(context.at - context.took, f"\nepoch {context.epoch+1}/{self.job.epochs}")
        self.bar.update(context.at, 1, f"avr_loss={context.loss/50:.3f}")

    def save(self, begin, end, step, context):
        self.writer.line(begin, f"\nsaving checkpoint: /out/model-step{step:08d}.safetensors")


@style
class alphafold_like_plain(Style):
    source = 'LlamaFactory v1 base_trainer.py PR #9752 print(f"Epoch {epoch}, Step {step}, Loss: ..., Grad Norm: ...")'
    startup = ("Starting training",)

    def log(self, context):
        self.writer.line(
            context.at,
            f"Epoch {context.epoch}, Step {context.step}, Loss: {context.loss:.4f}, Grad Norm: {context.grad_norm:.4f}",
        )

    def save(self, begin, end, step, context):
        self.writer.line(end, f"Model saved to output/checkpoint-{step}")
