"""The unmodified library in a separate process: what its GoodputMonitor uploads of a job, by Google's client, to the
address of a Monitoring emulator: `upload.py LOGGER JOB ADDRESS LOCATION ACCELERATOR WINDOW_S`."""
import datetime
import sys
import tempfile

import grpc
from google.cloud import monitoring_v3
from google.cloud.monitoring_v3.services.metric_service.transports import MetricServiceGrpcTransport
from ml_goodput_measurement.src import gcp_metrics, goodput, goodput_utils, monitoring


def main(logger, job, address, location, accelerator, window_s):
    calculator = goodput.GoodputCalculator(job, logger, cache_dir=tempfile.mkdtemp())
    sender = gcp_metrics.GCPMetrics.__new__(gcp_metrics.GCPMetrics)  # its client would go to Google
    sender.project_name = "projects/p"
    sender.client = monitoring_v3.MetricServiceClient(transport=MetricServiceGrpcTransport(channel=grpc.insecure_channel(address)))
    config = {"job_name": job, "include_slice_efficiency": False,
              "gcp_options": goodput_utils.GCPOptions(project_id="p", location=location, replica_id="0", acc_type=accelerator)}
    calculator.get_job_goodput(include_badput_breakdown=True)
    monitoring._upload_goodput_metrics_to_gcm(sender, calculator.get_job_goodput_details(), config)
    now = datetime.datetime.now(datetime.timezone.utc)
    monitoring._upload_interval_goodput_metrics_to_gcm(
        sender, calculator.get_interval_metric_details(now - datetime.timedelta(seconds=int(window_s)), now), config)


main(*sys.argv[1:])
