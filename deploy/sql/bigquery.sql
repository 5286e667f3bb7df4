-- BigQuery: the lines of an archive in a bucket, as an external table, for tables.sql. Write the bucket's name, and run
--   bq query --use_legacy_sql=false --dataset_id=goodput < deploy/sql/bigquery.sql    (then tables.sql and views.sql)
CREATE OR REPLACE EXTERNAL TABLE archive_file (
    record STRING, name STRING, uid STRING, target STRING, labels ARRAY<STRUCT<key STRING, value STRING>>,
    `from` TIMESTAMP, `to` TIMESTAMP, milliseconds INT64, count INT64, bucket STRING, family STRING, basis STRING,
    cause STRING, owner STRING, rootCause STRING, execution INT64, interruption INT64, recovery STRING, lostWork BOOL,
    chipMilliseconds INT64, idleChipMilliseconds INT64, waitingChipMilliseconds INT64, excluded BOOL, recovered BOOL,
    node STRING, nodePool STRING, evidence STRING, lostMilliseconds INT64, lostChipMilliseconds INT64,
    lostWorkMilliseconds INT64, rescheduleMilliseconds INT64, resumeMilliseconds INT64, waitMilliseconds INT64, step INT64, lastStep INT64,
    status STRUCT<phase STRING, target STRUCT<queue STRING, accelerator STRING, chips INT64>,
        goodputPPM STRUCT<program INT64>, cost STRUCT<currency STRING, allocated NUMERIC, lost NUMERIC>>)
WITH PARTITION COLUMNS (cluster STRING, date DATE, namespace STRING)
OPTIONS (format = 'NEWLINE_DELIMITED_JSON', compression = 'GZIP', ignore_unknown_values = TRUE,
    hive_partition_uri_prefix = 'gs://BUCKET', uris = ['gs://BUCKET/cluster=*.jsonl.gz']);

CREATE OR REPLACE VIEW line AS SELECT
    cluster, namespace,
    REGEXP_REPLACE(_FILE_NAME, r'^.*/(cluster=[^/]*/)date=[^/]*/(namespace=[^/]*/[^/]*)_[0-9]{6,}[.]jsonl[.]gz$', r'\1\2') AS job,
    CAST(REGEXP_EXTRACT(_FILE_NAME, r'_([0-9]{6,})[.]jsonl[.]gz$') AS INT64) AS sequence,
    record, name, uid, target, labels, UNIX_MILLIS(`from`) AS from_ms, UNIX_MILLIS(`to`) AS to_ms, milliseconds AS ms,
    count AS times, bucket, family, basis, cause, owner, rootCause AS root_cause, execution, interruption, recovery,
    lostWork AS is_lost_work, chipMilliseconds AS chip_ms, idleChipMilliseconds AS idle_chip_ms,
    waitingChipMilliseconds AS waiting_chip_ms,
    DIV(IFNULL(chipMilliseconds, 0) + IFNULL(idleChipMilliseconds, 0), NULLIF(milliseconds, 0)) AS bound_chips,
    DIV(IFNULL(chipMilliseconds, 0) + IFNULL(idleChipMilliseconds, 0) + IFNULL(waitingChipMilliseconds, 0),
        NULLIF(milliseconds, 0)) AS asked_chips, excluded AS is_excluded, recovered AS is_recovered, node,
    nodePool AS node_pool, evidence, lostMilliseconds AS lost_ms, lostChipMilliseconds AS lost_chip_ms,
    lostWorkMilliseconds AS lost_work_ms, rescheduleMilliseconds AS reschedule_ms, resumeMilliseconds AS resume_ms,
    waitMilliseconds AS wait_ms, step, IFNULL(lastStep, step) AS last_step, status.phase AS phase, status.target.queue AS queue,
    status.target.accelerator AS accelerator, status.target.chips AS chips, status.goodputPPM.program AS program_ppm,
    status.cost.currency AS currency, status.cost.allocated AS cost, status.cost.lost AS cost_lost
FROM archive_file;

CREATE OR REPLACE VIEW label AS SELECT DISTINCT cluster, namespace, job, l.key AS label, l.value AS value
FROM line, UNNEST(labels) AS l WHERE record = 'job';
CREATE OR REPLACE VIEW number AS SELECT n FROM UNNEST(GENERATE_ARRAY(0, 199999)) AS n;
