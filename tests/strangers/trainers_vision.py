"""Logs of trainers of vision models, PaddlePaddle and TensorFlow 1."""

from job import Bar, Style, clock, millis, style, written


@style
class timm(Style):
    source = "huggingface/pytorch-image-models train.py:1417,1519; checkpoint_saver.py:152"
    counts_from = 0
    by_epoch = True
    logs_epoch_end = True
    evaluates_first = True
    startup = (
        "Training in distributed mode with multiple processes, 1 device per process.",
        "Model vit_base_patch16_224 created, param count:86567656",
        "Scheduled epochs: 300. LR stepped per epoch.",
    )

    def restore(self, begin, end, resumed):
        self.writer.line(begin, "Restoring model state from checkpoint...")
        self.writer.line(end, f"Loaded checkpoint 'last.pth.tar' (epoch {resumed//self.job.epoch_steps-1})")

    def log(self, context):
        self.writer.line(
            context.at,
            f"Train: {context.epoch} [{context.index-1:>4d}/{self.job.epoch_steps} ({100.*context.index/self.job.epoch_steps:>3.0f}%)]  Loss: {context.loss:#.3g} ({context.loss:#.3g})  Time: {context.took:.3f}s, {256/context.took:>7.2f}/s  ({self.job.mean:.3f}s, {256/self.job.mean:>7.2f}/s)  LR: {context.lr:.3e}  Data: 0.012 (0.020)",
        )

    def evaluate(self, begin, end, step, context):
        for i in (0, 10, 20, 30, 39):
            self.writer.line(
                begin + (end - begin) * (i + 1) / 40,
                f"Test: [{i:>4d}/39]  Time: 0.310 (0.290)  Loss: {context.loss:>7.3f} ({context.loss:>6.3f})  Acc@1:  71.100 ( 70.300)  Acc@5:  90.100 ( 90.000)",
            )

    def save(self, begin, end, step, context):
        self.writer.line(end, "Current checkpoints:\n ('./output/train/checkpoint-%d.pth.tar', 71.2)\n" % context.epoch)


@style
class detectron2(Style):
    source = (
        "facebookresearch/detectron2 utils/events.py CommonMetricPrinter, engine/train_loop.py:142, evaluator.py:185"
    )
    counts_from = 1
    log_every = 20
    startup = ("init",)

    def say(self, at, logger, message):
        self.writer.line(at, f'\x1b[32m[{written(at,"%m/%d %H:%M:%S")} {logger}]: \x1b[0m{message}')

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "detectron2", "Rank of current process: 0. World size: 8")

    def restore(self, begin, end, resumed):
        self.say(
            begin, "fvcore.common.checkpoint", f"[Checkpointer] Loading from ./output/model_{resumed-1:07d}.pth ..."
        )

    def begin(self, at, resumed):
        self.say(at, "d2.engine.train_loop", f"Starting training from iteration {resumed}")

    def log(self, context):
        self.say(
            context.at,
            "d2.utils.events",
            f" eta: {clock((context.steps-context.step)*self.job.mean)}  iter: {context.step-1}  total_loss: {context.loss:.4g}  loss_cls: 0.31  loss_box_reg: 0.4  loss_rpn_cls: 0.02    time: {context.trained/(context.step-context.resumed):.4f}  last_time: {context.took:.4f}  data_time: 0.0311  last_data_time: 0.0044   lr: {context.lr:.5g}  max_mem: 7711M",
        )

    def save(self, begin, end, step, context):
        self.say(begin, "fvcore.common.checkpoint", f"Saving checkpoint to ./output/model_{step-1:07d}.pth")

    def evaluate(self, begin, end, step, context):
        self.say(begin, "d2.evaluation.evaluator", "Start inference on 625 batches")
        for i in range(1, 6):
            self.say(
                begin + (end - begin) * i / 6,
                "d2.evaluation.evaluator",
                f"Inference done {i*110}/625. Dataloading: 0.0011 s/iter. Inference: 0.0501 s/iter. Eval: 0.0002 s/iter. Total: 0.0515 s/iter. ETA=0:00:20",
            )
        self.say(
            end, "d2.evaluation.evaluator", "Total inference time: 0:00:30.1 (0.0501 s / iter per device, on 8 devices)"
        )


@style
class mmengine_epoch(Style):
    source = "open-mmlab/mmengine runner/log_processor.py, hooks/checkpoint_hook.py:343 (mmdet)"
    by_epoch = True
    startup = ("init",)

    def say(self, at, message):
        self.writer.line(at, f'{written(at,"%m/%d %H:%M:%S")} - mmengine - \x1b[4m\x1b[97mINFO\x1b[0m - {message}')

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(
            at,
            "------------------------------------------------------------\nSystem environment:\n    sys.platform: linux",
        )

    def restore(self, begin, end, resumed):
        self.say(begin, f"Load checkpoint from work_dirs/epoch_{resumed//self.job.epoch_steps}.pth")
        self.say(end, f"resumed epoch: {resumed//self.job.epoch_steps}, iter: {resumed}")

    def begin(self, at, resumed):
        self.say(at, "Checkpoints will be saved to /work_dirs.")

    def log(self, context):
        self.say(
            context.at,
            f"Epoch(train)  [{context.epoch+1}][{str(context.index).rjust(len(str(self.job.epoch_steps)))}/{self.job.epoch_steps}]  lr: {context.lr:.4e}  eta: {clock((context.steps-context.step)*self.job.mean)}  time: {context.seconds/context.count:.4f}  data_time: 0.0120  memory: 8211  loss: {context.loss:.4f}  loss_cls: 0.2013  loss_bbox: 0.3100",
        )

    def save(self, begin, end, step, context):
        self.say(begin, f"Saving checkpoint at {context.epoch+1} epochs")

    def evaluate(self, begin, end, step, context):
        for i in range(1, 6):
            self.say(
                begin + (end - begin) * i / 6,
                f"Epoch(val) [{context.epoch+1}][{i*50:3d}/313]    eta: 0:00:12  time: 0.0511  data_time: 0.0020  memory: 1211  ",
            )
        self.say(
            end, f"Epoch(val) [{context.epoch+1}][313/313]    coco/bbox_mAP: 0.3510  data_time: 0.0013  time: 0.0501"
        )


@style
class mmengine_iter(mmengine_epoch):
    source = "open-mmlab/mmengine log_processor by_epoch=False (mmseg, xtuner)"
    by_epoch = False

    def restore(self, begin, end, resumed):
        self.say(begin, f"Load checkpoint from work_dirs/iter_{resumed}.pth")
        self.say(end, f"resumed epoch: 0, iter: {resumed}")

    def log(self, context):
        self.say(
            context.at,
            f"Iter(train) [{str(context.step).rjust(len(str(context.steps)))}/{context.steps}]  lr: {context.lr:.4e}  eta: {clock((context.steps-context.step)*self.job.mean)}  time: {context.seconds/context.count:.4f}  data_time: 0.0120  memory: 8211  loss: {context.loss:.4f}",
        )

    def save(self, begin, end, step, context):
        self.say(begin, f"Saving checkpoint at {step} iterations")

    def evaluate(self, begin, end, step, context):
        for i in range(1, 6):
            self.say(
                begin + (end - begin) * i / 6,
                f"Iter(val) [{i*50:3d}/313]    eta: 0:00:12  time: 0.0511  data_time: 0.0020  memory: 1211  ",
            )
        self.say(end, "Iter(val) [313/313]    aAcc: 80.1  mIoU: 41.2  data_time: 0.0013  time: 0.0501")


@style
class yolov5(Style):
    source = "ultralytics/yolov5 train.py:372-434,502, val.py:252"
    by_epoch = True
    log_every = 1
    evaluates_first = True
    startup = (
        "YOLOv5 v7.0 Python-3.10 torch-2.1 CUDA:0 (A100)",
        "hyperparameters: lr0=0.01, lrf=0.01, momentum=0.937",
        "Image sizes 640 train, 640 val\nUsing 8 dataloader workers\nLogging results to runs/train/exp\nStarting training for 10 epochs...",
    )

    def begin(self, at, resumed):
        self.bar = None

    def step(self, context):
        if context.index == 1 or self.bar is None:
            self.writer.line(
                context.at - context.took,
                "\n" + ("%11s" * 7) % ("Epoch", "GPU_mem", "box_loss", "obj_loss", "cls_loss", "Instances", "Size"),
                "e",
            )
            self.bar = Bar(self.writer, context.at - context.took, self.job.epoch_steps)
        self.bar.desc = ("%11s" * 2 + "%11.4g" * 5) % (
            f"{context.epoch}/{self.job.epochs-1}",
            "6.41G",
            context.loss / 100,
            0.03,
            0.01,
            33,
            640,
        )
        self.bar.update(context.at)
        if context.index == self.job.epoch_steps:
            self.bar.close(context.at)

    def evaluate(self, begin, end, step, context):
        bar = Bar(
            self.writer,
            begin,
            20,
            desc=("%22s" + "%11s" * 6) % ("Class", "Images", "Instances", "P", "R", "mAP50", "mAP50-95"),
        )
        for i in range(20):
            bar.update(begin + (end - begin) * (i + 1) / 20)
        bar.close(end)
        self.writer.line(end, "%22s%11i%11i%11.3g%11.3g%11.3g%11.3g" % ("all", 5000, 36335, 0.6, 0.5, 0.55, 0.37), "e")

    def end(self, at):
        self.writer.line(at, f"\n{self.job.epochs} epochs completed in 0.411 hours.", "e")


@style
class paddlenlp(Style):
    source = 'PaddleNLP trainer.py (logs found by find_string: "global_step: 10, interval_runtime: ...")'
    startup = ("init",)

    def say(self, at, message):
        self.writer.line(at, f"\x1b[32m[{written(at)},{millis(at)}] [    INFO]\x1b[0m - {message}")

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "The global seed is set to 42")

    def restore(self, begin, end, resumed):
        self.say(begin, f"Loading model from checkpoints/checkpoint-{resumed} .")
        self.say(end, f"  Continuing training from global step {resumed}")

    def begin(self, at, resumed):
        self.say(at, "***** Running training *****")
        self.say(at, f"  Total optimization steps = {self.job.steps:,}")

    def log(self, context):
        self.say(
            context.at,
            f"loss: {context.loss:.8f}, learning_rate: {context.lr}, global_step: {context.step}, current_memory_allocated: 7.5, interval_runtime: {context.since_log:.4f}, interval_samples_per_second: {8*context.count/context.since_log:.4f}, interval_steps_per_second: {context.count/context.since_log:.4f}, progress_or_epoch: {context.step/context.steps:.4f}",
        )

    def save(self, begin, end, step, context):
        self.say(begin, f"Saving model checkpoint to checkpoints/checkpoint-{step}")
        self.say(end, f"Saving optimizer files.")

    def evaluate(self, begin, end, step, context):
        self.say(begin, "***** Running Evaluation *****")
        self.say(begin, "  Num examples = 1000")
        self.say(
            end,
            f"eval_loss: {context.loss}, eval_ppl: 9.1, eval_runtime: {end-begin:.4f}, eval_samples_per_second: 31.1, eval_steps_per_second: 3.9, progress_or_epoch: {step/context.steps:.4f}",
        )


@style
class paddledet(Style):
    source = "PaddlePaddle/PaddleDetection ppdet/engine/callbacks.py LogPrinter, utils/checkpoint.py:348"
    counts_from = 0
    by_epoch = True
    startup = ("loading annotations into memory...", "Done (t=0.62s)", "creating index...")

    def say(self, at, logger, message):
        self.writer.line(at, f'[{written(at,"%m/%d %H:%M:%S")}] {logger} INFO: {message}')

    def restore(self, begin, end, resumed):
        self.say(
            end,
            "ppdet.utils.checkpoint",
            "Finish resuming model weights: output/ppyoloe/%d.pdparams" % (resumed // self.job.epoch_steps - 1),
        )

    def log(self, context):
        self.say(
            context.at,
            "ppdet.engine.callbacks",
            f"Epoch: [{context.epoch}] [{context.index-1:{len(str(self.job.epoch_steps))}d}/{self.job.epoch_steps}] learning_rate: {context.lr:.6f} loss: {context.loss:.6f} loss_cls: 1.1 loss_iou: 0.4 eta: {clock((context.steps-context.step)*self.job.mean)} batch_cost: {context.seconds/context.count:.4f} data_cost: 0.0003 ips: {8*context.count/context.seconds:.4f} images/s, max_mem_reserved: 7000 MB, max_mem_allocated: 6500 MB",
        )

    def save(self, begin, end, step, context):
        self.say(end, "ppdet.utils.checkpoint", "Save checkpoint: output/ppyoloe")

    def evaluate(self, begin, end, step, context):
        for i in range(0, 3):
            self.say(begin + (end - begin) * i / 3, "ppdet.engine.trainer", f"Eval iter: {i*100}")
        self.say(end, "ppdet.engine.callbacks", "Total sample number: 5000, average FPS: 80.1")


@style
class paddleocr(Style):
    source = "PaddleOCR/OpenOCR log: Topdu/OpenOCR issue #9"
    log_every = 10
    startup = ("init",)

    def say(self, at, message):
        self.writer.line(at, f'[{written(at,"%Y/%m/%d %H:%M:%S")}] ppocr INFO: {message}')

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "Architecture : ")

    def restore(self, begin, end, resumed):
        self.say(end, "resume from ./output/latest")

    def begin(self, at, resumed):
        self.say(at, "train dataloader has 1000 iters")
        self.say(at, "During the training process, after the 0th iteration, an evaluation is run every 2000 iterations")

    def log(self, context):
        self.say(
            context.at,
            f"epoch: [{context.epoch+1}/{self.job.epochs}], global_step: {context.step}, lr: {context.lr:.6f}, loss: {context.loss:.6f}, avg_reader_cost: 0.00971 s, avg_batch_cost: {context.seconds/context.count:.5f} s, avg_samples: 64.0, ips: {64*context.count/context.seconds:.5f} samples/s, eta: {clock((context.steps-context.step)*self.job.mean)}",
        )

    def save(self, begin, end, step, context):
        self.say(end, "save model in ./output/latest")

    def evaluate(self, begin, end, step, context):
        self.writer.raw(end, "\reval model:: 100%|██████████| 20/20 [00:11<00:00,  1.71it/s]\n", "e")
        self.say(end, "cur metric, acc: 0.61, norm_edit_dis: 0.8, fps: 1221.1")


@style
class tf_estimator(Style):
    source = "tensorflow issue #43014, #24299 (Estimator LoggingTensorHook)"
    log_every = 100
    logs_first_step = True
    startup = (
        "INFO:tensorflow:Using config: {...}",
        "INFO:tensorflow:Calling model_fn.",
        "INFO:tensorflow:Done calling model_fn.",
        "INFO:tensorflow:Create CheckpointSaverHook.",
        "INFO:tensorflow:Graph was finalized.",
        "INFO:tensorflow:Running local_init_op.",
        "INFO:tensorflow:Done running local_init_op.",
    )

    def restore(self, begin, end, resumed):
        self.writer.line(begin, f"INFO:tensorflow:Restoring parameters from /model/model.ckpt-{resumed}", "e")

    def log(self, context):
        if context.step == context.resumed + 1:
            self.writer.line(context.at, f"INFO:tensorflow:loss = {context.loss:.6g}, step = {context.step}", "e")
        else:
            self.writer.line(context.at, f"INFO:tensorflow:global_step/sec: {context.count/context.since_log:.6g}", "e")
            self.writer.line(
                context.at,
                f"INFO:tensorflow:loss = {context.loss:.6g}, step = {context.step} ({context.since_log:.3f} sec)",
                "e",
            )

    def save(self, begin, end, step, context):
        self.writer.line(begin, f"INFO:tensorflow:Saving checkpoints for {step} into /model/model.ckpt.", "e")

    def evaluate(self, begin, end, step, context):
        self.writer.line(begin, f'INFO:tensorflow:Starting evaluation at {written(begin,"%Y-%m-%dT%H:%M:%SZ")}', "e")
        self.writer.line(
            end, f"INFO:tensorflow:Saving dict for global step {step}: global_step = {step}, loss = {context.loss}", "e"
        )


@style
class tf_slim(Style):
    source = "tensorflow/models issues #2980, #3000"
    evaluates = False
    log_every = 1
    startup = ("INFO:tensorflow:Starting Session.", "INFO:tensorflow:Starting Queues.")

    def restore(self, begin, end, resumed):
        self.writer.line(begin, f"INFO:tensorflow:Restoring parameters from training/model.ckpt-{resumed}", "e")

    def log(self, context):
        self.writer.line(
            context.at,
            f"INFO:tensorflow:global step {context.step}: loss = {context.loss:.4f} ({context.took:.3f} sec/step)",
            "e",
        )

    def save(self, begin, end, step, context):
        self.writer.line(begin, "INFO:tensorflow:Saving checkpoint to path training/model.ckpt", "e")
        self.writer.line(end, f"INFO:tensorflow:Recording summary at step {step}.", "e")
