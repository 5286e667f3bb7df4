-- ClickHouse: the lines of an archive, for tables.sql. The path is below user_files_path; in place of file(...) write
-- s3('https://BUCKET...', ...) or gcs(...) for an object store.
CREATE OR REPLACE VIEW archive_file AS SELECT *, _path AS path
FROM file('goodput-archive/cluster=*/date=*/namespace=*/*.jsonl.gz', 'JSONEachRow', '
    record String, name Nullable(String), uid Nullable(String), target Nullable(String),
    labels Array(Tuple(key String, value String)), from Nullable(String), to Nullable(String), milliseconds Nullable(Int64),
    count Nullable(Int64), bucket Nullable(String), family Nullable(String), basis Nullable(String), cause Nullable(String),
    owner Nullable(String), rootCause Nullable(String), execution Nullable(Int64), interruption Nullable(Int64),
    recovery Nullable(String), lostWork Nullable(Bool), chipMilliseconds Nullable(Int64), idleChipMilliseconds Nullable(Int64),
    waitingChipMilliseconds Nullable(Int64), excluded Nullable(Bool), recovered Nullable(Bool), node Nullable(String),
    nodePool Nullable(String), evidence Nullable(String), lostMilliseconds Nullable(Int64), lostChipMilliseconds Nullable(Int64),
    lostWorkMilliseconds Nullable(Int64), rescheduleMilliseconds Nullable(Int64), resumeMilliseconds Nullable(Int64),
    waitMilliseconds Nullable(Int64), step Nullable(Int64), lastStep Nullable(Int64), status Nullable(String)')
SETTINGS input_format_skip_unknown_fields = 1, input_format_json_read_objects_as_strings = 1, use_hive_partitioning = 0;

CREATE OR REPLACE VIEW line AS SELECT
    extract(path, '/cluster=([^/]*)/') AS cluster,
    extract(path, '/namespace=([^/]*)/') AS namespace,
    replaceRegexpOne(path, '^.*/(cluster=[^/]*/)date=[^/]*/(namespace=[^/]*/[^/]*)_[0-9]{6,}[.]jsonl[.]gz$', '\\1\\2') AS job,
    toInt64(extract(path, '_([0-9]{6,})[.]jsonl[.]gz$')) AS sequence,
    record, name, uid, target, labels,
    toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(f.from, 3, 'UTC')) AS from_ms,
    toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(f.to, 3, 'UTC')) AS to_ms, milliseconds AS ms,
    f.count AS times, bucket, family, basis, cause, owner, rootCause AS root_cause, execution, interruption, recovery,
    lostWork AS is_lost_work, chipMilliseconds AS chip_ms, idleChipMilliseconds AS idle_chip_ms,
    waitingChipMilliseconds AS waiting_chip_ms,
    intDiv(ifNull(chipMilliseconds, 0) + ifNull(idleChipMilliseconds, 0), nullIf(milliseconds, 0)) AS bound_chips,
    intDiv(ifNull(chipMilliseconds, 0) + ifNull(idleChipMilliseconds, 0) + ifNull(waitingChipMilliseconds, 0),
        nullIf(milliseconds, 0)) AS asked_chips, excluded AS is_excluded, recovered AS is_recovered, node,
    nodePool AS node_pool, evidence, lostMilliseconds AS lost_ms, lostChipMilliseconds AS lost_chip_ms,
    lostWorkMilliseconds AS lost_work_ms, rescheduleMilliseconds AS reschedule_ms, resumeMilliseconds AS resume_ms,
    waitMilliseconds AS wait_ms, step, ifNull(lastStep, step) AS last_step,
    JSONExtract(ifNull(status, ''), 'phase', 'Nullable(String)') AS phase,
    JSONExtract(ifNull(status, ''), 'target', 'queue', 'Nullable(String)') AS queue,
    JSONExtract(ifNull(status, ''), 'target', 'accelerator', 'Nullable(String)') AS accelerator,
    JSONExtract(ifNull(status, ''), 'target', 'chips', 'Nullable(Int64)') AS chips,
    JSONExtract(ifNull(status, ''), 'goodputPPM', 'program', 'Nullable(Int64)') AS program_ppm,
    JSONExtract(ifNull(status, ''), 'cost', 'currency', 'Nullable(String)') AS currency,
    toDecimal64OrNull(JSONExtract(ifNull(status, ''), 'cost', 'allocated', 'Nullable(String)'), 2) AS cost,
    toDecimal64OrNull(JSONExtract(ifNull(status, ''), 'cost', 'lost', 'Nullable(String)'), 2) AS cost_lost
FROM archive_file AS f;

CREATE OR REPLACE VIEW label AS SELECT DISTINCT cluster, namespace, job, l.1 AS label, l.2 AS value
FROM (SELECT cluster, namespace, job, arrayJoin(labels) AS l FROM line WHERE record = 'job');
CREATE OR REPLACE VIEW number AS SELECT toInt64(number) AS n FROM numbers(200000);
