-- A job's status, computed again from its ledger alone. DuckDB reads the lines that `kubectl goodput ledger NAME -o jsonl`
-- and `analyze FILE... -o jsonl` print (a file is one job), or an archive has (files = 'DIR/*/date=*/*/*.jsonl.gz'):
CREATE OR REPLACE TABLE record AS SELECT * FROM (SELECT *
    REPLACE (regexp_replace(job, '.*/(cluster=[^/]*/).*/([^/]*)_\d+[.]jsonl[.]gz$', '\1\2') AS job),
    regexp_extract(job, '_(\d+)[.]jsonl[.]gz$', 1) AS object FROM read_json(getvariable('files'), format = 'newline_delimited',
    filename = 'job', maximum_object_size = 67108864, columns = {
    record: 'VARCHAR', "from": 'TIMESTAMPTZ', "to": 'TIMESTAMPTZ', completeFrom: 'TIMESTAMPTZ', complete: 'BOOLEAN',
    milliseconds: 'BIGINT', count: 'BIGINT', bucket: 'VARCHAR', family: 'VARCHAR', basis: 'VARCHAR', cause: 'VARCHAR',
    owner: 'VARCHAR', execution: 'BIGINT', interruption: 'BIGINT', recovery: 'VARCHAR', lostWork: 'BOOLEAN',
    provisional: 'BOOLEAN', chipMilliseconds: 'BIGINT', idleChipMilliseconds: 'BIGINT', waitingChipMilliseconds: 'BIGINT',
    excluded: 'BOOLEAN', recovered: 'BOOLEAN', evidence: 'VARCHAR', log: 'VARCHAR', line: 'BIGINT', onlyCounted: 'BOOLEAN',
    interruptionMilliseconds: 'BIGINT', interruptionChipMilliseconds: 'BIGINT', lostMilliseconds: 'BIGINT',
    lostChipMilliseconds: 'BIGINT', lostWorkMilliseconds: 'BIGINT', detectMilliseconds: 'BIGINT', waitMilliseconds: 'BIGINT',
    rescheduleMilliseconds: 'BIGINT', resumeMilliseconds: 'BIGINT', provisionalMilliseconds: 'BIGINT', recoveredCount: 'BIGINT',
    recoveryMilliseconds: 'BIGINT', status: 'JSON'}))
QUALIFY object >= max(object) FILTER (record = 'job') OVER (PARTITION BY job); -- what a newer count replaced
-- Spans, and the sums by bucket of the time before completeFrom.
CREATE OR REPLACE VIEW span AS SELECT * REPLACE (coalesce(chipMilliseconds, 0) AS chipMilliseconds,
    coalesce(idleChipMilliseconds, 0) AS idleChipMilliseconds) FROM record
    WHERE record = 'span' OR (record = 'settled' AND lostMilliseconds IS NULL);
CREATE OR REPLACE MACRO plus(a, b) AS coalesce(a, 0) + coalesce(b, 0);

-- status.time and status.acceleratorHours. Time is available where it is not lost to scheduling.
CREATE OR REPLACE VIEW job_time AS SELECT job, sum(milliseconds) AS wall,
    coalesce(sum(milliseconds) FILTER (family <> 'Scheduling'), 0) AS available,
    coalesce(sum(milliseconds) FILTER (bucket = 'Productive'), 0) AS productive,
    plus(sum(milliseconds) FILTER (provisional), sum(provisionalMilliseconds)) AS provisional,
    coalesce(sum(milliseconds) FILTER (bucket = 'Suspended'), 0) AS suspended,
    coalesce(sum(milliseconds) FILTER (bucket = 'Unattributed'), 0) AS unattributed,
    coalesce(sum(milliseconds) FILTER (bucket = 'Unobserved'), 0) AS unobserved,
    sum(chipMilliseconds + idleChipMilliseconds) AS allocated_chips,
    coalesce(sum(chipMilliseconds) FILTER (bucket = 'Productive'), 0) AS productive_chips,
    coalesce(sum(waitingChipMilliseconds), 0) AS waiting_chips,
    job IN (SELECT job FROM record WHERE record = 'steps') AS has_steps
FROM span GROUP BY job;

-- status.goodputPPM: rounded to parts per million, half up. What is not known is NULL.
CREATE OR REPLACE MACRO ppm(part, whole) AS
    CASE WHEN whole > 0 THEN (part::HUGEINT * 2000000 + whole) // (whole::HUGEINT * 2) END;
CREATE OR REPLACE VIEW goodput AS SELECT job,
    ppm(available, wall) AS scheduling,
    CASE WHEN has_steps THEN ppm(productive, available) END AS runtime,
    CASE WHEN has_steps THEN ppm(productive, wall) END AS job_goodput,
    CASE WHEN has_steps THEN ppm(productive + unattributed, available) END AS runtime_upper,
    CASE WHEN unobserved > 0 THEN ppm(available + unobserved, wall) END AS scheduling_upper,
    CASE WHEN has_steps AND unobserved > 0 THEN ppm(productive + unattributed + unobserved, wall) END AS job_upper,
    CASE WHEN has_steps THEN ppm(available - unattributed, available) END AS evidence
FROM job_time;

-- status.badput. Idle chips are those of an elastic job's slices that are down while the others train.
CREATE OR REPLACE VIEW badput AS SELECT job, family, bucket, sum(milliseconds) AS milliseconds, sum(count) AS count,
    ['Observed', 'Derived', 'Assumed'][max(list_position(['Observed', 'Derived', 'Assumed'], basis))] AS basis,
    sum(chipMilliseconds) AS chips,
    plus(sum(milliseconds) FILTER (interruption > 0), sum(interruptionMilliseconds)) AS of_interruptions
FROM span WHERE bucket <> 'Productive' GROUP BY job, family, bucket
UNION ALL SELECT job, 'Runtime', 'ElasticSliceDown', 0, NULL, NULL, sum(idleChipMilliseconds), 0
FROM span GROUP BY job HAVING sum(idleChipMilliseconds) > 0;

-- status.executions: what the interruption that ended each of them cost.
CREATE OR REPLACE VIEW cost AS SELECT job, interruption, milliseconds AS lost, chipMilliseconds AS lost_chips,
    milliseconds * lostWork::INT AS lost_work, milliseconds * (bucket = 'FailureDetection')::INT AS detect
FROM span WHERE interruption > 0
UNION ALL BY NAME SELECT job, execution - 1 AS interruption, milliseconds * (recovery = 'Wait')::INT AS wait,
    milliseconds * (recovery = 'Reschedule')::INT AS reschedule, milliseconds * (recovery = 'Resume')::INT AS resume
FROM span WHERE recovery IS NOT NULL
UNION ALL BY NAME SELECT job, interruption, lostMilliseconds AS lost, lostChipMilliseconds AS lost_chips,
    lostWorkMilliseconds AS lost_work, detectMilliseconds AS detect, waitMilliseconds AS wait,
    rescheduleMilliseconds AS reschedule, resumeMilliseconds AS resume FROM record WHERE lostMilliseconds IS NOT NULL;
CREATE OR REPLACE VIEW interruption AS SELECT i.job, i.interruption, i.cause, i.owner, i.excluded, i.recovered,
    coalesce(sum(COLUMNS(cost.* EXCLUDE (job, interruption))), 0)::BIGINT
FROM record i LEFT JOIN cost USING (job, interruption) WHERE record = 'interruption' AND i.interruption > 0 GROUP BY ALL;

-- status.interruptions. Those without a number are not listed one by one: each such line counts several.
CREATE OR REPLACE VIEW by_cause AS SELECT r.job, r.cause, sum(r.count) AS count,
    plus(sum(i.lost_chips), sum(r.lostChipMilliseconds)) AS chips, sum(r.count) FILTER (r.excluded) AS excluded
FROM record r LEFT JOIN interruption i USING (job, interruption) WHERE r.record = 'interruption' GROUP BY ALL;
-- status.byOwner. What interruptions cost in settled time is their owners', and not their bucket's owner's.
CREATE OR REPLACE VIEW by_owner AS SELECT job, coalesce(last_owner, owner) AS owner, sum(ms) AS milliseconds, sum(chip_ms) AS chips FROM
    (SELECT job, interruption, owner, milliseconds - coalesce(interruptionMilliseconds, 0) AS ms,
        chipMilliseconds - coalesce(interruptionChipMilliseconds, 0) AS chip_ms FROM span WHERE bucket <> 'Productive'
    UNION ALL SELECT job, interruption, owner, lostMilliseconds, coalesce(lostChipMilliseconds, 0) FROM record WHERE lostMilliseconds >= 0)
LEFT JOIN (SELECT job, interruption, owner AS last_owner FROM record WHERE record IN ('interruption', 'end')) USING (job, interruption)
GROUP BY ALL HAVING sum(ms) > 0;

-- status.otherDefinitions: numerator and denominator; interruptions are counted, all else is milliseconds.
CREATE OR REPLACE VIEW failures AS SELECT job,
    coalesce(sum(count) FILTER (cause IN ('NodeFailure', 'OutOfMemory', 'Hang', 'ApplicationError')), 0) AS failures,
    coalesce(sum(count) FILTER (cause IN ('Unknown', 'TrainerRestart')), 0) AS unknown
FROM by_cause GROUP BY job;
CREATE OR REPLACE VIEW definition AS
SELECT job, 'ExcludingSuspended' AS name, available AS numerator, wall - suspended AS denominator FROM job_time
UNION ALL SELECT job, unnest(['ETTRByteDance', 'ForwardProgress']), productive, wall FROM job_time WHERE has_steps
UNION ALL SELECT job, 'ETTRMeta', productive, wall - suspended FROM job_time WHERE has_steps
UNION ALL SELECT job, 'MTBI', available, sum(count) FROM job_time JOIN record USING (job)
    WHERE record = 'interruption' AND NOT excluded AND onlyCounted IS NULL GROUP BY ALL
UNION ALL SELECT job, 'MTTF', available, failures FROM job_time JOIN failures USING (job) WHERE failures > 0 AND unknown = 0
UNION ALL SELECT job, 'MTTR', sum(ms), sum(n) FROM (
    SELECT job, reschedule + resume AS ms, 1 AS n FROM interruption WHERE recovered AND NOT excluded
    UNION ALL SELECT job, recoveryMilliseconds, recoveredCount FROM record WHERE recoveredCount > 0)
    JOIN job_time USING (job) WHERE has_steps GROUP BY job;
