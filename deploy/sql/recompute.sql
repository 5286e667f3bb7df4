-- A job's status, computed again from its ledger alone. DuckDB reads the lines that `kubectl goodput analyze FILE... -o jsonl`
-- prints; deploy/docs/how-to/recompute.md describes them. A file is one job:
--   duckdb -c "SET VARIABLE files = 'ledger.jsonl'" -c ".read recompute.sql" -c "FROM badput"
CREATE OR REPLACE TABLE record AS SELECT * FROM read_json(getvariable('files'), format = 'newline_delimited',
    filename = 'job', maximum_object_size = 67108864, columns = {
    record: 'VARCHAR', "from": 'TIMESTAMPTZ', "to": 'TIMESTAMPTZ', completeFrom: 'TIMESTAMPTZ', complete: 'BOOLEAN',
    milliseconds: 'BIGINT', count: 'BIGINT', bucket: 'VARCHAR', family: 'VARCHAR', basis: 'VARCHAR', cause: 'VARCHAR',
    owner: 'VARCHAR', execution: 'BIGINT', interruption: 'BIGINT', recovery: 'VARCHAR', lostWork: 'BOOLEAN',
    provisional: 'BOOLEAN', chipMilliseconds: 'BIGINT', idleChipMilliseconds: 'BIGINT',
    waitingChipMilliseconds: 'BIGINT', excluded: 'BOOLEAN', recovered: 'BOOLEAN', retained: 'BIGINT',
    lostSteps: 'BIGINT', catchUpMilliseconds: 'BIGINT', evidence: 'VARCHAR', log: 'VARCHAR', line: 'BIGINT',
    onlyCounted: 'BOOLEAN', status: 'JSON'});

CREATE OR REPLACE VIEW span AS SELECT * REPLACE (coalesce(chipMilliseconds, 0) AS chipMilliseconds,
    coalesce(idleChipMilliseconds, 0) AS idleChipMilliseconds) FROM record WHERE record = 'span';

-- status.time and status.acceleratorHours. Time is available where it is not lost to scheduling.
CREATE OR REPLACE VIEW job_time AS SELECT job,
    sum(milliseconds) AS wall,
    coalesce(sum(milliseconds) FILTER (family <> 'Scheduling'), 0) AS available,
    coalesce(sum(milliseconds) FILTER (bucket = 'Productive'), 0) AS productive,
    coalesce(sum(milliseconds) FILTER (provisional), 0) AS provisional,
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
    sum(chipMilliseconds) AS chips, coalesce(sum(milliseconds) FILTER (interruption > 0), 0) AS of_interruptions
FROM span WHERE bucket <> 'Productive' GROUP BY job, family, bucket
UNION ALL SELECT job, 'Runtime', 'ElasticSliceDown', 0, NULL, NULL, sum(idleChipMilliseconds), 0
FROM span GROUP BY job HAVING sum(idleChipMilliseconds) > 0;

-- status.executions: what the interruption that ended each of them cost.
CREATE OR REPLACE VIEW interruption AS SELECT i.job, i.interruption, i.cause, i.owner, i.excluded, i.recovered,
    coalesce(sum(s.milliseconds) FILTER (s.interruption = i.interruption), 0) AS lost,
    coalesce(sum(s.chipMilliseconds) FILTER (s.interruption = i.interruption), 0) AS lost_chips,
    coalesce(sum(s.milliseconds) FILTER (s.interruption = i.interruption AND s.lostWork), 0) AS lost_work,
    coalesce(sum(s.milliseconds) FILTER (s.interruption = i.interruption AND s.bucket = 'FailureDetection'), 0) AS detect,
    coalesce(sum(s.milliseconds) FILTER (s.execution = i.interruption + 1 AND s.recovery = 'Wait'), 0) AS wait,
    coalesce(sum(s.milliseconds) FILTER (s.execution = i.interruption + 1 AND s.recovery = 'Reschedule'), 0) AS reschedule,
    coalesce(sum(s.milliseconds) FILTER (s.execution = i.interruption + 1 AND s.recovery = 'Resume'), 0) AS resume
FROM record i LEFT JOIN span s ON s.job = i.job AND i.interruption IN (s.interruption, s.execution - 1)
WHERE i.record = 'interruption' AND i.interruption IS NOT NULL GROUP BY ALL;

-- status.interruptions. Those of a counter alone have no time: each such line counts several.
CREATE OR REPLACE VIEW by_cause AS SELECT r.job, r.cause, sum(r.count) AS count, coalesce(sum(i.lost_chips), 0) AS chips,
    sum(r.count) FILTER (r.excluded) AS excluded
FROM record r LEFT JOIN interruption i USING (job, interruption) WHERE r.record = 'interruption' GROUP BY ALL;

-- status.byOwner
CREATE OR REPLACE VIEW by_owner AS SELECT job, owner, sum(milliseconds) AS milliseconds, sum(chipMilliseconds) AS chips
FROM span WHERE bucket <> 'Productive' GROUP BY ALL;

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
UNION ALL SELECT job, 'MTTR', sum(reschedule + resume), count(*) FROM interruption JOIN job_time USING (job)
    WHERE recovered AND NOT excluded AND has_steps GROUP BY job;
