"""Logs of Hugging Face's Trainer, of what is built on it, and of trainers that tune a model."""

import math

from job import Bar, Style, millis, spelled, style, written


def trainer_line(trainer, context):
    epoch = round(context.step / trainer.job.epoch_steps, 2)
    return {"loss": round(context.loss, 4), "grad_norm": context.grad_norm, "learning_rate": context.lr, "epoch": epoch}


@style
class hf_notqdm(Style):
    source = "HF Trainer disable_tqdm=True (PrinterCallback print(logs)); tatsu-lab/stanford_alpaca issue #243"
    startup = ("Loading checkpoint shards: done", "trainable params: 4,194,304 || all params: 6,742,609,920")

    def restore(self, begin, end, resumed):
        self.writer.line(end, "\tWarning: The training arguments differ from checkpoint", "e")

    def log(self, context):
        self.writer.line(context.at, str(trainer_line(self, context)))

    def evaluate(self, begin, end, step, context):
        self.writer.line(
            end,
            str(
                {
                    "eval_loss": context.loss,
                    "eval_runtime": round(end - begin, 4),
                    "eval_samples_per_second": 31.2,
                    "eval_steps_per_second": 3.9,
                    "epoch": round(step / self.job.epoch_steps, 2),
                }
            ),
        )

    def end(self, at):
        self.writer.line(
            at,
            str(
                {
                    "train_runtime": 1234.5,
                    "train_samples_per_second": 10.1,
                    "train_steps_per_second": 1.2,
                    "train_loss": 2.1,
                    "epoch": 3.0,
                }
            ),
        )


@style
class hf_tqdm(hf_notqdm):
    source = "HF Trainer ProgressCallback (microsoft/huggingface-transformers PR #7; transformers #14531)"

    def begin(self, at, resumed):
        self.bar = Bar(self.writer, at, self.job.steps)
        self.resumed = resumed

    def step(self, context):
        self.bar.update(context.at, context.step - self.bar.position)

    def evaluate(self, begin, end, step, context):
        bar = Bar(self.writer, begin, 40)
        for i in range(40):
            bar.update(begin + (end - begin) * (i + 1) / 40)
        self.writer.raw(end, "\r" + " " * 60 + "\r", "e")
        hf_notqdm.evaluate(self, begin, end, step, context)
        self.bar.show(end, True)

    def log(self, context):
        self.writer.raw(context.at, "\r" + " " * 60 + "\r", "e")
        hf_notqdm.log(self, context)
        self.bar.show(context.at, True)

    def end(self, at):
        self.bar.close(at)
        hf_notqdm.end(self, at)


@style
class hf_tqdm_2to1(hf_tqdm):
    source = "HF Trainer with 2>&1 (one stream; DeepSpeed/transformers issue #14531)"

    def attempt(self, writer, at, resumed):
        self.writer = writer
        o = writer.raw
        writer.raw = lambda at, text, stream: o(at, text, "o")


@style
class llamafactory(hf_tqdm):
    source = "hiyouga/LlamaFactory issues #3529,#774; transformers log_level=info"

    def info(self, at, line, message):
        self.writer.line(at, f"[INFO|trainer.py:{line}] {written(at)},{millis(at)} >> {message}", "e")

    def restore(self, begin, end, resumed):
        self.info(begin, 2723, f"Loading model from saves/checkpoint-{resumed}.")

    def begin(self, at, resumed):
        self.info(at, 2409, "***** Running training *****")
        self.info(at, 2415, f"  Total optimization steps = {self.job.steps:,}")
        (resumed and self.info(at, 2440, f"  Continuing training from global step {resumed}"))
        hf_tqdm.begin(self, at, resumed)

    def save(self, begin, end, step, context):
        self.info(begin, 3966, f"Saving model checkpoint to saves/checkpoint-{step}")
        self.writer.line(
            end - 0.1,
            f"[INFO|tokenization_utils_base.py:2510] {written(end)},{millis(end)} >> tokenizer config file saved in saves/checkpoint-{step}/tokenizer_config.json",
            "e",
        )

    def evaluate(self, begin, end, step, context):
        self.info(begin, 4307, "\n***** Running Evaluation *****")
        self.info(begin, 4309, "  Num examples = 100")
        hf_tqdm.evaluate(self, begin, end, step, context)


@style
class unsloth(hf_tqdm):
    source = "unslothai/unsloth PR #4547, issue #1899 (transformers 5 string values)"
    startup = (
        "🦥 Unsloth: Will patch your computer to enable 2x faster free finetuning.",
        "==((====))==  Unsloth - 2x faster free finetuning | Num GPUs used = 1",
        "   \\\\   /|    Num examples = 9,999 | Num Epochs = 2 | Total steps = 5,000",
    )

    def log(self, context):
        self.writer.raw(context.at, "\r" + " " * 60 + "\r", "e")
        self.writer.line(
            context.at,
            str(
                {
                    "loss": f"{context.loss:.4g}",
                    "grad_norm": f"{context.grad_norm:.4g}",
                    "learning_rate": f"{context.lr:.4g}",
                    "epoch": f"{context.step/self.job.epoch_steps:.4g}",
                    "num_input_tokens_seen": context.step * 8192,
                    "train_runtime": f"{context.at-context.started:.1f}",
                    "train_tokens_per_second": "2583",
                }
            ),
        )
        self.bar.show(context.at, True)


@style
class trl_grpo(hf_tqdm):
    source = "huggingface/trl issue #4086 (GRPOTrainer)"
    shortest_step = 3

    def log(self, context):
        self.writer.raw(context.at, "\r" + " " * 60 + "\r", "e")
        self.writer.line(
            context.at,
            str(
                {
                    "loss": round(context.loss, 4),
                    "grad_norm": context.grad_norm,
                    "learning_rate": context.lr,
                    "num_tokens": context.step * 9000.0,
                    "completions/mean_length": 211.4,
                    "rewards/reward_func/mean": 0.4,
                    "reward": 0.4,
                    "reward_std": 0.2,
                    "kl": 0.001,
                    "entropy": 0.3,
                    "clip_ratio/region_mean": 0.0,
                    "step_time": context.seconds / context.count,
                    "epoch": round(context.step / self.job.epoch_steps, 2),
                }
            ),
        )
        self.bar.show(context.at, True)


@style
class ms_swift(Style):
    source = "modelscope/ms-swift swift/trainers/patcher.py:17-58; issues #4146,#4366"
    startup = (
        "[INFO:swift] Loading the model using model_dir: /m",
        "[INFO:swift] Start time of running main: 2025-10-09 12:00:00.123",
        "[INFO:swift] model_parameter_info: PeftModelForCausalLM",
    )

    def restore(self, begin, end, resumed):
        self.writer.line(end, f"[INFO:swift] Resume training from checkpoint-{resumed}")

    def begin(self, at, resumed):
        self.bar = Bar(self.writer, at, self.job.steps, desc="Train")
        self.started = at
        self.resumed = resumed

    def step(self, context):
        self.bar.update(context.at, context.step - self.bar.position)

    def log(self, context):
        elapsed = context.at - self.started
        each = elapsed / (context.step - self.resumed)
        line = trainer_line(self, context)
        line.update(
            {
                "global_step/max_steps": f"{context.step}/{context.steps}",
                "elapsed_time": spelled(elapsed),
                "remaining_time": spelled((context.steps - context.step) * each),
                "memory(GiB)": 69.19,
                "train_speed(s/it)": round(each, 6),
            }
        )
        self.writer.raw(context.at, "\r" + " " * 60 + "\r", "e")
        self.writer.line(context.at, str(line))
        self.bar.show(context.at, True)

    def save(self, begin, end, step, context):
        self.writer.line(end, f"[INFO:swift] Saving model checkpoint to /output/checkpoint-{step}")

    def evaluate(self, begin, end, step, context):
        self.writer.raw(begin, "\n", "e")
        bar = Bar(self.writer, begin, 40, desc="Val")
        for i in range(40):
            bar.update(begin + (end - begin) * (i + 1) / 40)
        bar.close(end)
        self.writer.line(
            end,
            str(
                {
                    "eval_loss": context.loss,
                    "eval_runtime": end - begin,
                    "eval_samples_per_second": 3.1,
                    "eval_steps_per_second": 1.1,
                    "epoch": 0.5,
                    "global_step/max_steps": f"{step}/{context.steps}",
                    "elapsed_time": spelled(end - self.started),
                    "memory(GiB)": 69.19,
                }
            ),
        )


@style
class accelerate_ex(Style):
    source = "transformers examples/pytorch/language-modeling/run_clm_no_trainer.py (bar + epoch line)"
    evaluates_first = True
    by_epoch = True
    log_every = 1
    startup = ("init",)

    def say(self, at, message):
        self.writer.line(at, f'{written(at,"%m/%d/%Y %H:%M:%S")} - INFO - __main__ - {message}')

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "Distributed environment: MULTI_GPU  Backend: nccl")

    def restore(self, begin, end, resumed):
        self.writer.line(begin, f"Resumed from checkpoint: out/epoch_{resumed//self.job.epoch_steps-1}")
        self.writer.line(
            begin,
            f'{written(begin,"%m/%d/%Y %H:%M:%S")} - INFO - accelerate.accelerator - Loading states from out/epoch_{resumed//self.job.epoch_steps-1}',
        )

    def begin(self, at, resumed):
        self.say(at, "***** Running training *****")
        self.say(at, f"  Total optimization steps = {self.job.steps}")
        self.bar = Bar(self.writer, at, self.job.steps)
        (resumed and self.bar.update(at + 0.2, resumed))

    def step(self, context):
        self.bar.update(context.at)

    def evaluate(self, begin, end, step, context):
        self.say(end, f"epoch {context.epoch}: perplexity: {math.exp(context.loss)} eval_loss: {context.loss}")

    def save(self, begin, end, step, context):
        self.writer.line(
            begin,
            f'{written(begin,"%m/%d/%Y %H:%M:%S")} - INFO - accelerate.accelerator - Saving current state to out/epoch_{context.epoch}',
        )


@style
class open_instruct(Style):
    source = "allenai/open-instruct open_instruct/finetune.py:731-950"
    evaluates = False
    startup = ("init",)

    def say(self, at, message):
        self.writer.line(at, f'{written(at,"%m/%d/%Y %H:%M:%S")} - INFO - open_instruct.finetune - {message}')

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "using the output directory: output/")

    def begin(self, at, resumed):
        self.say(at, "***** Running training *****")
        self.bar = Bar(self.writer, at, self.job.steps)
        (resumed and self.bar.update(at + 0.2, resumed))

    def restore(self, begin, end, resumed):
        self.writer.line(begin, f"Resumed from checkpoint: output/step_{resumed}")

    def step(self, context):
        self.bar.update(context.at)

    def log(self, context):
        self.say(
            context.at, f"  Step: {context.step}, LR: {context.lr}, Loss: {context.loss}, TPS: {8192/context.alone}"
        )


@style
class verl(Style):
    source = "volcengine/verl utils/logger/aggregate_logger.py:26, trainer/ppo/ray_trainer.py:1343"
    log_every = 1
    shortest_step = 4
    startup = (
        "(TaskRunner pid=4242) TaskRunner hostname: n1, PID: 4242",
        "(TaskRunner pid=4242) Size of train dataloader: 29, Size of val dataloader: 1",
        "(TaskRunner pid=4242) Total training steps: 435",
        "(WorkerDict pid=4711) Actor use_remove_padding=True",
    )

    def restore(self, begin, end, resumed):
        self.writer.line(begin, f"(TaskRunner pid=4242) Load from checkpoint folder: /ckpt/global_step_{resumed}")
        self.writer.line(begin, f"(TaskRunner pid=4242) Setting global step to {resumed}")

    def log(self, context):
        self.writer.line(
            context.at,
            f"(TaskRunner pid=4242) step:{context.step} - global_seqlen/min:1234 - actor/entropy:{context.loss} - actor/pg_loss:0.01 - actor/grad_norm:{context.grad_norm} - actor/lr:1e-06 - training/global_step:{context.step} - training/epoch:0 - critic/score/mean:0.4 - timing_s/gen:{context.took*.6} - timing_s/old_log_prob:{context.took*.1} - timing_s/update_actor:{context.took*.3} - timing_s/step:{context.took} - perf/throughput:1234.5",
        )
        self.bar.update(context.at)

    def begin(self, at, resumed):
        self.bar = Bar(self.writer, at, self.job.steps, resumed, desc="(TaskRunner pid=4242) Training Progress")

    def save(self, begin, end, step, context):
        self.writer.line(begin, f"(TaskRunner pid=4242) local_global_step_folder: /ckpt/global_step_{step}")
        self.writer.line(
            end,
            f"(WorkerDict pid=4711) [Rank 0] Saved model to /ckpt/global_step_{step}/actor/model_world_size_8_rank_0.pt",
        )

    def evaluate(self, begin, end, step, context):
        self.writer.line(begin, "(TaskRunner pid=4242) test_gen_batch meta info: {}")
        self.writer.line(end, "(TaskRunner pid=4242) validation generation end")


@style
class openrlhf_sft(Style):
    source = "OpenRLHF trainer/sft_trainer.py:127,139,251"
    by_epoch = True
    log_every = 1
    startup = (
        "[2025-10-09 12:00:01,123] [INFO] [real_accelerator.py:222:get_accelerator] Setting ds_accelerator to cuda",
        "loaded dataset",
    )

    def begin(self, at, resumed):
        self.epoch_bar = Bar(self.writer, at, self.job.epochs, resumed // self.job.epoch_steps, desc="Train epoch")
        self.bar = None

    def step(self, context):
        if self.bar is None or context.index == 1:
            self.writer.raw(context.at - context.took, "\n", "e")
            self.bar = Bar(
                self.writer,
                context.at - context.took,
                self.job.epoch_steps,
                desc=f"Train step of epoch {context.epoch}",
            )
        self.bar.update(context.at, 1, f"gpt_loss={context.loss:.3g}, lr={context.lr:.2g}")
        if context.index == self.job.epoch_steps:
            self.bar.close(context.at)
            self.epoch_bar.update(context.at)

    def evaluate(self, begin, end, step, context):
        bar = Bar(self.writer, begin, 30, desc=f"Eval stage of steps {step}")
        for i in range(30):
            bar.update(begin + (end - begin) * (i + 1) / 30)
        bar.close(end)


@style
class openrlhf_ppo(Style):
    source = "OpenRLHF trainer/ppo_trainer.py:518-560"
    log_every = 1
    shortest_step = 5
    never_saves = False
    evaluates = False
    startup = ("(PPOTrainer pid=99) [2025-10-09 12:00:01] INFO init", "(LLMRayActor pid=101) INFO 10-09 vllm started")

    def begin(self, at, resumed):
        self.bar = Bar(self.writer, at, self.job.steps, resumed, desc="(PPOTrainer pid=99) Episode [1/1]")

    def log(self, context):
        self.writer.line(
            context.at,
            f"(PPOTrainer pid=99) {written(context.at)} INFO ppo_trainer.py:547 ✨ Global step {context.step}: {{'policy_loss': {context.loss:.4f}, 'actor_lr': 5e-07, 'reward': 0.31, 'response_length': 411.2, 'timing/make_experience': {context.took*.2:.2f}, 'timing/ppo_train': {context.took*.3:.2f}, 'timing/generation': {context.took*.5:.2f}, 'timing/step_total': {context.took:.2f}}}",
        )
        self.bar.update(context.at)
