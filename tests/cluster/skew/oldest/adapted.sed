# Kueue 0.12 has neither v1beta2 nor TrainJobs nor workload slices; JobSet 0.8 neither gates nor a certificate for its metrics.
s|kueue.x-k8s.io/v1beta2|kueue.x-k8s.io/v1beta1|
s|cohortName:|cohort:|
\|trainer.kubeflow.org/trainjob|d
/ElasticJobsViaWorkloadSlices/d
/^metrics:/,/^webhook:/{
  /certDir:/d
}
/^featureGates:/{
  N
  /RestartJob/{
    N
    N
    d
  }
}
