/* metrics_table: every family that /metrics has. deploy/docs/reference/metrics.md is checked against it. */
#ifndef EXPORT_METRICS_TABLE_H
#define EXPORT_METRICS_TABLE_H

/* Every job has at most METRICS_DEFAULT_SERIES series by default; the flag --all-job-series adds the other families.
 * Plain numbers of a job by default: enumerator, name, value in the fleet's table, digits after the point, help. */
#define JOB_DEFAULT_GAUGES(X)                                                                                          \
    X(J_SCHEDULING, "goodput_job_scheduling_goodput_ratio", SCHEDULING, 6,                                             \
      "Available time / wall time. Available: all required slots are bound and alive.")                                \
    X(J_RUNTIME, "goodput_job_runtime_goodput_ratio", RUNTIME, 6,                                                      \
      "Productive time / available time. Absent without step evidence.")                                               \
    X(J_GOODPUT, "goodput_job_goodput_ratio", GOODPUT, 6,                                                              \
      "Productive time / wall time = scheduling x runtime. Absent without step evidence.")                             \
    X(J_EVIDENCE, "goodput_job_evidence_ratio", EVIDENCE, 6, "Share of the available time that is explained.")         \
    X(J_THROUGH, "goodput_job_observed_through_timestamp_seconds", OBSERVED_THROUGH, 3,                                \
      "The time up to which cluster and log are accounted.")                                                           \
    X(J_PRODUCTIVE, "goodput_job_productive_seconds", PRODUCTIVE, 3,                                                   \
      "Time of steps that were kept. It may fall: work is lost at a restart.")                                         \
    X(J_LAST, "goodput_job_last_step", LAST_STEP, 0, "Number of the newest step.")                                     \
    X(J_LAST_RECORD, "goodput_job_last_record_timestamp_seconds", LAST_RECORD, 3,                                      \
      "Time of the newest record of the step log.")                                                                    \
    X(J_HANG_AFTER, "goodput_job_hang_after_seconds", HANG_AFTER, 3,                                                   \
      "Time without a record that counts as a hang, learned or from the spec. Absent while the step log cannot be "    \
      "read.")

/* And with --all-job-series. */
#define JOB_MORE_GAUGES(X)                                                                                             \
    X(J_PROGRAM, "goodput_job_program_goodput_ratio", PROGRAM, 6,                                                      \
      "FLOPs of kept steps / peak FLOPs of the productive time (MFU, or EMFU).")                                       \
    X(J_PRODUCTIVITY, "goodput_job_productivity_ratio", PRODUCTIVITY, 6,                                               \
      "ML productivity goodput = scheduling x runtime x program.")                                                     \
    X(J_UPPER, "goodput_job_runtime_goodput_upper_bound_ratio", UPPER_BOUND, 6,                                        \
      "Runtime goodput if all unattributed time was productive.")                                                      \
    X(J_SCHEDULING_UPPER, "goodput_job_scheduling_goodput_upper_bound_ratio", SCHEDULING_UPPER_BOUND, 6,               \
      "Scheduling goodput if all slots were available in the unobserved time. Absent without unobserved time.")        \
    X(J_GOODPUT_UPPER, "goodput_job_goodput_upper_bound_ratio", JOB_UPPER_BOUND, 6,                                    \
      "Goodput if unobserved and unattributed time was productive. Absent without unobserved time.")                   \
    X(J_START, "goodput_job_start_timestamp_seconds", START, 3, "Creation of the target.")                             \
    X(J_WALL, "goodput_job_wall_seconds", WALL, 3,                                                                     \
      "Time from the target's creation to its end, or to observed_through.")                                           \
    X(J_AVAILABLE, "goodput_job_available_seconds", AVAILABLE, 3, "Time in which all required slots were available.")  \
    X(J_PROVISIONAL, "goodput_job_provisional_seconds", PROVISIONAL, 3,                                                \
      "Productive time since the last durable checkpoint, which a failure now would lose.")                            \
    X(J_REQUIRED, "goodput_job_slots_required", SLOTS_REQUIRED, 0, "Pods that the job needs at once.")                 \
    X(J_SLOTS, "goodput_job_slots_available", SLOTS_AVAILABLE, 0, "Of these: bound to a Ready node and alive.")        \
    X(J_CHIPS, "goodput_job_chips", CHIPS, 0, "Accelerator chips of the required slots.")                              \
    X(J_DURABLE, "goodput_job_last_durable_step", LAST_DURABLE_STEP, 0,                                                \
      "Newest step that is known to be in a checkpoint.")                                                              \
    X(J_RETAINED, "goodput_job_steps_retained", RETAINED_STEPS, 0, "Steps that were kept. It may fall.")               \
    X(J_REPEATED, "goodput_job_steps_repeated", REPEATED_STEPS, 0, "Steps that were lost and done again.")             \
    X(J_MEAN, "goodput_job_step_mean_seconds", STEP_MEAN, 3, "Productive time / steps kept.")                          \
    X(J_MEDIAN, "goodput_job_step_median_seconds", STEP_MEDIAN, 3, "Half of the steps took no longer.")                \
    X(J_P99, "goodput_job_step_p99_seconds", STEP_P99, 3, "99 % of the steps took no longer.")                         \
    X(J_IDEAL, "goodput_job_step_ideal_seconds", STEP_IDEAL, 3, "The ideal step, learned or from the spec.")           \
    X(J_DEVIATION, "goodput_job_step_deviation_seconds", STEP_DEVIATION, 3, "Mean step less the ideal one.")           \
    X(J_MTBI, "goodput_job_mean_time_between_interruptions_seconds", MTBI, 0,                                          \
      "Available time / interruptions, without suspensions and Kueue's evictions.")                                    \
    X(J_MTTR, "goodput_job_mean_time_to_recover_seconds", MTTR, 0,                                                     \
      "Mean of rescheduling plus resuming, without suspensions and Kueue's evictions.")                                \
    X(J_REMAINING, "goodput_job_remaining_seconds", REMAINING, 0,                                                      \
      "Forecast: time to finish, on average. Absent without spec.totalSteps.")                                         \
    X(J_REMAINING_DEVIATION, "goodput_job_remaining_deviation_seconds", REMAINING_DEVIATION, 0,                        \
      "Forecast: standard deviation of the time to finish.")                                                           \
    X(J_EXPECTED_RUNTIME, "goodput_job_expected_runtime_goodput_ratio", EXPECTED_RUNTIME, 6,                           \
      "Forecast: runtime goodput with the present checkpoint interval.")                                               \
    X(J_EXPECTED, "goodput_job_expected_goodput_ratio", EXPECTED_GOODPUT, 6,                                           \
      "Forecast: goodput with the present checkpoint interval.")                                                       \
    X(J_BEST_RUNTIME, "goodput_job_best_runtime_goodput_ratio", BEST_RUNTIME, 6,                                       \
      "Forecast: runtime goodput with the best checkpoint interval.")

/* What else a job has by default: enumerator, name, type, labels besides those of its job, help. */
#define JOB_DEFAULT_FAMILIES(X)                                                                                        \
    X(F_ADMITTED, "goodput_job_admitted_seconds", METRIC_GAUGE, "",                                                    \
      "Wall time without QueueWait, PreemptedWait and Suspended, which a queue or a person decided.")                  \
    X(F_LOST_CHIPS, "goodput_job_lost_chip_seconds", METRIC_GAUGE, "",                                                 \
      "Chip time that was allocated and not productive.")                                                              \
    X(F_PHASE, "goodput_job_phase", METRIC_GAUGE, "phase", "1 for the phase that the job is in.")                      \
    X(F_CONDITION, "goodput_job_condition", METRIC_GAUGE, "condition, status",                                         \
      "1 for the status that each condition has. By default only StepLogAttached while it is False.")

/* Everything else: enumerator, name, type, labels besides those of its job, queue or fleet, help. */
#define FAMILIES(X)                                                                                                    \
    X(F_BADPUT, "goodput_job_badput_seconds", METRIC_GAUGE, "family, bucket",                                          \
      "Time that was not productive; with productive_seconds it adds up to wall_seconds.")                             \
    X(F_OWNER, "goodput_job_owner_seconds", METRIC_GAUGE, "owner",                                                     \
      "Time that was not productive, by who owns it; all owners' add up to that of all buckets.")                      \
    X(F_OWNER_INTERRUPTIONS, "goodput_job_owner_interruptions", METRIC_GAUGE, "owner",                                 \
      "Interruptions so far, by who owns what they cost.")                                                             \
    X(F_INTERRUPTIONS, "goodput_job_interruptions", METRIC_GAUGE, "cause", "Interruptions so far, by cause.")          \
    X(F_ROOT_CAUSES, "goodput_job_root_cause_interruptions", METRIC_GAUGE, "class",                                    \
      "Interruptions whose root cause was looked for, by class; class Unknown: not found.")                            \
    X(F_WINDOW, "goodput_job_window_goodput_ratio", METRIC_GAUGE, "window_seconds, goodput",                           \
      "Goodput of the last window_seconds; goodput: scheduling, runtime or job.")                                      \
    X(F_DEFINITION, "goodput_job_definition_ratio", METRIC_GAUGE, "definition",                                        \
      "A ratio of status.otherDefinitions, such as ETTRMeta. Absent where it needs an unknown number.")                \
    X(F_DEFINITION_TIME, "goodput_job_definition_seconds", METRIC_GAUGE, "definition",                                 \
      "A mean time of status.otherDefinitions: MTBI, MTTF, MTTR. Absent without anything to divide by.")               \
    X(F_CHIPS, "goodput_job_chip_seconds", METRIC_GAUGE, "state",                                                      \
      "Chip time: allocated, productive, or waiting (required but not available).")                                    \
    X(F_BADPUT_CHIPS, "goodput_job_badput_chip_seconds", METRIC_GAUGE, "family, bucket",                               \
      "Allocated chip time lost, by bucket.")                                                                          \
    X(F_CAUSE_CHIPS, "goodput_job_interruption_chip_seconds", METRIC_GAUGE, "cause",                                   \
      "Allocated chip time that interruptions lost, by cause. The buckets include it.")                                \
    X(F_COST, "goodput_job_cost", METRIC_GAUGE, "state, currency",                                                     \
      "Cost of the chips: allocated, productive or lost. Absent without a price.")                                     \
    X(F_BADPUT_COST, "goodput_job_badput_cost", METRIC_GAUGE, "family, bucket, currency",                              \
      "Cost of the lost chip time, by bucket.")                                                                        \
    X(F_CAUSE_COST, "goodput_job_interruption_cost", METRIC_GAUGE, "cause, currency",                                  \
      "Cost of interruptions, by cause. The buckets include it.")                                                      \
    X(F_QUEUE_JOBS, "goodput_queue_jobs", METRIC_GAUGE, "phase", "JobGoodputs by phase.")                              \
    X(F_QUEUE_CHIPS, "goodput_queue_chip_seconds", METRIC_GAUGE, "state",                                              \
      "Chip time of all jobs; divide these, do not average ratios.")                                                   \
    X(F_QUEUE_BADPUT, "goodput_queue_badput_chip_seconds", METRIC_GAUGE, "bucket", "Chip time lost, by bucket.")       \
    X(F_QUEUE_IDEAL, "goodput_queue_step_ideal_seconds", METRIC_GAUGE, "",                                             \
      "Ideal step x steps kept, over the jobs whose steps are known.")                                                 \
    X(F_QUEUE_DEVIATION, "goodput_queue_step_deviation_seconds", METRIC_GAUGE, "",                                     \
      "Time of these steps beyond the ideal.")                                                                         \
    X(F_FLEET_RATIO, "goodput_fleet_goodput_ratio", METRIC_GAUGE, "goodput",                                           \
      "Goodput of a FleetGoodput in its window: scheduling, scheduling_upper_bound, runtime, job, job_upper_bound, "   \
      "program, productivity; all_scheduling, all_scheduling_upper_bound (jobs without steps too); evidence (the "     \
      "share "                                                                                                         \
      "of the chip time that jobs with known steps have).")                                                            \
    X(F_FLEET_GROUP_RATIO, "goodput_fleet_group_goodput_ratio", METRIC_GAUGE, "group, goodput", "The same by group.")  \
    X(F_FLEET_CHIPS, "goodput_fleet_chip_seconds", METRIC_GAUGE, "state",                                              \
      "Chip time in its window: asked, available, unobserved, productive, allocated, capacity, idle.")                 \
    X(F_FLEET_BADPUT, "goodput_fleet_badput_chip_seconds", METRIC_GAUGE, "family, bucket",                             \
      "Chip time lost in its window, by bucket; the largest twelve.")                                                  \
    X(F_FLEET_BADPUT_COST, "goodput_fleet_badput_cost", METRIC_GAUGE, "family, bucket, currency",                      \
      "Cost of the chip time lost in its window, by bucket. Absent without a price.")                                  \
    X(F_FLEET_CAUSE_COST, "goodput_fleet_interruption_cost", METRIC_GAUGE, "cause, currency",                          \
      "Cost of interruptions in its window, by cause. The buckets include it.")                                        \
    X(F_FLEET_JOBS, "goodput_fleet_jobs", METRIC_GAUGE, "state", "Jobs: counted, without_steps, not_counted, spread.") \
    X(F_FLEET_INTERRUPTIONS, "goodput_fleet_interruptions", METRIC_GAUGE, "", "Interruptions in its window.")          \
    X(F_FLEET_ROOT_CAUSES, "goodput_fleet_root_cause_interruptions", METRIC_GAUGE, "class",                            \
      "Interruptions in its window whose root cause was looked for, by class; class Unknown: not found.")              \
    X(F_FLEET_OWNER_INTERRUPTIONS, "goodput_fleet_owner_interruptions", METRIC_GAUGE, "owner",                         \
      "Interruptions in its window, by who owns what they cost.")                                                      \
    X(F_FLEET_OWNER_CHIPS, "goodput_fleet_owner_chip_seconds", METRIC_GAUGE, "owner",                                  \
      "Allocated chip time lost in its window, by who owns it.")                                                       \
    X(F_FLEET_OWNER_CLASS_CHIPS, "goodput_fleet_owner_class_chip_seconds", METRIC_GAUGE, "owner, class",               \
      "The same by class of the root cause as well; class None: no interruption caused it.")                           \
    X(F_FLEET_OWNER_COST, "goodput_fleet_owner_cost", METRIC_GAUGE, "owner, currency",                                 \
      "Cost of the chip time lost in its window, by who owns it. Absent without a price.")                             \
    X(F_FLEET_RATE, "goodput_fleet_interruptions_per_1000_node_days", METRIC_GAUGE, "",                                \
      "Interruptions that jobs did not decide on, per 1,000 node-days of available time.")                             \
    X(F_FLEET_POOL_FAILURES, "goodput_fleet_node_pool_failures", METRIC_GAUGE, "node_pool",                            \
      "Interruptions that a node of the pool caused.")                                                                 \
    X(F_FLEET_POOL_MTBF, "goodput_fleet_node_pool_mean_time_between_failures_seconds", METRIC_GAUGE, "node_pool",      \
      "Node time of the pool / its failures.")                                                                         \
    X(F_FLEET_COST, "goodput_fleet_cost", METRIC_GAUGE, "state, currency",                                             \
      "Cost of the chips in its window: allocated or lost. Absent without a price.")                                   \
    X(F_FLEET_CONDITION, "goodput_fleet_condition", METRIC_GAUGE, "condition, status",                                 \
      "1 for the status that each condition of a FleetGoodput has.")                                                   \
    X(F_BUILD, "goodput_build_info", METRIC_GAUGE, "version", "1; the version is in the label.")                       \
    X(F_LEADER, "leader_election_master_status", METRIC_GAUGE, "name",                                                 \
      "1 while this replica leads, 0 while it waits.")                                                                 \
    X(F_SYNCED, "goodput_controller_synced", METRIC_GAUGE, "", "1 once every watched resource has been listed.")       \
    X(F_JOBS, "goodput_controller_jobgoodputs", METRIC_GAUGE, "", "JobGoodputs that are known.")                       \
    X(F_FOLLOWS, "goodput_controller_log_follows", METRIC_GAUGE, "", "Pod logs that are followed now.")                \
    X(F_WRITES, "goodput_controller_status_writes", METRIC_COUNTER, "result", "Status writes, by result.")             \
    X(F_DEPTH, "workqueue_depth", METRIC_GAUGE, "name", "JobGoodputs that wait to be reconciled.")                     \
    X(F_ADDS, "workqueue_adds", METRIC_COUNTER, "name", "JobGoodputs put into the queue.")                             \
    X(F_RETRIES, "workqueue_retries", METRIC_COUNTER, "name", "Writes to be tried again.")                             \
    X(F_QUEUE_DURATION, "workqueue_queue_duration_seconds", METRIC_HISTOGRAM, "name, le",                              \
      "Time from an event to the reconciliation of its JobGoodput.")                                                   \
    X(F_WORK_DURATION, "workqueue_work_duration_seconds", METRIC_HISTOGRAM, "name, le",                                \
      "Duration of one reconciliation of a JobGoodput.")                                                               \
    X(F_REQUEST_DURATION, "rest_client_request_duration_seconds", METRIC_HISTOGRAM, "verb, le",                        \
      "Time until the API server starts its answer, by verb.")                                                         \
    X(F_REQUESTS, "rest_client_requests", METRIC_COUNTER, "method, code",                                              \
      "Requests to the API server, by method and status code.")                                                        \
    X(F_LISTS, "reflector_lists", METRIC_COUNTER, "name", "Lists started, by resource.")                               \
    X(F_WATCHES, "reflector_watches", METRIC_COUNTER, "name", "Watches started, by resource.")                         \
    X(F_STREAMS, "goodput_stream_troubles", METRIC_COUNTER, "stream, resource, reason",                                \
      "Lists, watches, log follows and calls that failed after the answer started, by reason.")                        \
    X(F_LOG_BYTES, "goodput_log_read_bytes", METRIC_COUNTER, "", "Bytes of pod logs that were read.")                  \
    X(F_DROPPED, "goodput_controller_log_lines_dropped", METRIC_COUNTER, "",                                           \
      "Lines of the controller's own log that could not be written.")                                                  \
    X(F_CLOCK, "goodput_controller_clock_steps", METRIC_COUNTER, "", "Number of times that the wall clock was set.")   \
    X(F_ARCHIVE_OBJECTS, "goodput_archive_objects", METRIC_COUNTER, "", "Objects of the archive that were completed.") \
    X(F_ARCHIVE_FAILURES, "goodput_archive_failures", METRIC_COUNTER, "", "Writes to the archive that failed.")        \
    X(F_ARCHIVE_LOST, "goodput_archive_lost", METRIC_COUNTER, "",                                                      \
      "How often spans of a job could not be archived; the archive has their sums.")                                   \
    X(F_ARCHIVE_LOST_TIME, "goodput_archive_lost_seconds", METRIC_COUNTER, "",                                         \
      "Time of jobs of which the archive has sums and no spans, since they could not be archived.")                    \
    X(F_ARCHIVE_PENDING, "goodput_archive_pending_bytes", METRIC_GAUGE, "",                                            \
      "Spans in memory that wait for the archive.")                                                                    \
    X(F_ARCHIVE_FAILING, "goodput_archive_failing_since_timestamp_seconds", METRIC_GAUGE, "",                          \
      "Since when the archive cannot be written. Absent while it can.")                                                \
    X(F_ARCHIVE_UPLOADS, "goodput_archive_uploads", METRIC_COUNTER, "",                                                \
      "Objects of the archive that were moved to its store, which gave back the same bytes.")                          \
    X(F_ARCHIVE_WAITING, "goodput_archive_waiting_objects", METRIC_GAUGE, "",                                          \
      "Complete objects on the volume that are not in the archive's store yet; at most 1000 are counted.")             \
    X(F_INGEST_REQUESTS, "goodput_ingest_requests", METRIC_COUNTER, "code",                                            \
      "Requests to the recorders' endpoint, by the answer's code; 401 includes 403.")                                  \
    X(F_INGEST_ENTRIES, "goodput_ingest_entries", METRIC_COUNTER, "", "Entries and lines that the endpoint stored.")   \
    X(F_INGEST_REFUSED, "goodput_ingest_refused_entries", METRIC_COUNTER, "",                                          \
      "Entries and lines of requests to the endpoint that were refused.")                                              \
    X(F_INGEST_BYTES, "goodput_ingest_read_bytes", METRIC_COUNTER, "",                                                 \
      "Bytes of the requests whose entries were stored.")                                                              \
    X(F_PUSH_REQUESTS, "goodput_push_requests", METRIC_COUNTER, "exporter, result",                                    \
      "Requests and file writes of the push exporters, by exporter and result: delivered, retried, failed.")           \
    X(F_PUSH_POINTS, "goodput_push_points", METRIC_COUNTER, "exporter, result",                                        \
      "Values (and spans) pushed, by exporter and result: delivered, dropped.")                                        \
    X(F_PUSH_LAST, "goodput_push_last_delivery_timestamp_seconds", METRIC_GAUGE, "exporter",                           \
      "Time of the last delivery since the epoch. Absent before the first.")                                           \
    X(F_MEMORY_LIMIT, "goodput_controller_memory_limit_bytes", METRIC_GAUGE, "",                                       \
      "Memory limit of the controller's container, from its cgroup. Absent without a limit.")                          \
    X(F_CPU, "process_cpu_seconds", METRIC_COUNTER, "", "User and system CPU time.")                                   \
    X(F_RESIDENT, "process_resident_memory_bytes", METRIC_GAUGE, "", "Resident memory.")                               \
    X(F_VIRTUAL, "process_virtual_memory_bytes", METRIC_GAUGE, "", "Virtual memory.")                                  \
    X(F_STARTED, "process_start_time_seconds", METRIC_GAUGE, "", "Start of the process since the epoch.")              \
    X(F_FDS, "process_open_fds", METRIC_GAUGE, "", "Open file descriptors.")                                           \
    X(F_MAX_FDS, "process_max_fds", METRIC_GAUGE, "", "Limit on open file descriptors.")

enum family {
#define X(family, ...) family,
    JOB_DEFAULT_GAUGES(X) JOB_DEFAULT_FAMILIES(X) JOB_MORE_GAUGES(X) FAMILIES(X) FAMILY_COUNT
#undef X
};

#endif
