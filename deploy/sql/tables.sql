-- What an archive's lines say, one row for each job, span and interruption, and the chip time of each hour. These
-- statements are the same in DuckDB, ClickHouse and BigQuery: duckdb.sql, clickhouse.sql and bigquery.sql define the
-- views that they read: line, label and number. Times are milliseconds since 1970; ms and chip_ms are sums of them.

-- The lines that count: a later `job` line starts the count of a job again.
CREATE OR REPLACE VIEW counted_line AS
SELECT l.* FROM line AS l
JOIN (SELECT f.job AS first_job, MAX(f.sequence) AS first_sequence FROM line AS f WHERE f.record = 'job' GROUP BY f.job) AS first
    ON l.job = first_job
WHERE l.sequence >= first_sequence;

-- chips: what the job asks for; of a job that runs, the most that a span shows. has_steps: productive time is known.
CREATE OR REPLACE VIEW jobs AS
SELECT l.cluster, l.namespace, l.job, MAX(l.name) AS name, MAX(l.uid) AS uid, MAX(l.target) AS target,
    MIN(CASE WHEN l.record = 'job' THEN l.from_ms END) AS start_ms,
    MAX(CASE WHEN l.record = 'part' THEN l.to_ms END) AS through_ms,
    MAX(CASE WHEN l.record = 'status' THEN 1 ELSE 0 END) AS is_final,
    MAX(l.phase) AS phase, MAX(l.queue) AS queue, MAX(l.accelerator) AS accelerator,
    COALESCE(MAX(l.chips), MAX(l.asked_chips), 0) AS chips,
    MAX(CASE WHEN l.record = 'steps' OR l.bucket = 'Productive' THEN 1 ELSE 0 END) AS has_steps,
    COALESCE(SUM(CASE WHEN l.bucket IS NOT NULL THEN l.ms END), 0) AS wall_ms,
    COALESCE(SUM(CASE WHEN l.family <> 'Scheduling' THEN l.ms END), 0) AS available_ms,
    COALESCE(SUM(CASE WHEN l.bucket = 'Productive' THEN l.ms END), 0) AS productive_ms,
    COALESCE(SUM(CASE WHEN l.bucket = 'Unobserved' THEN l.ms END), 0) AS unobserved_ms,
    COALESCE(SUM(CASE WHEN l.bucket = 'Unattributed' THEN l.ms END), 0) AS unattributed_ms,
    COALESCE(SUM(COALESCE(l.chip_ms, 0) + COALESCE(l.idle_chip_ms, 0)), 0) AS allocated_chip_ms,
    COALESCE(SUM(CASE WHEN l.bucket = 'Productive' THEN l.chip_ms END), 0) AS productive_chip_ms,
    COALESCE(SUM(l.waiting_chip_ms), 0) AS waiting_chip_ms,
    COALESCE(SUM(CASE WHEN l.record = 'interruption' THEN l.times END), 0) AS interruptions,
    COALESCE(SUM(CASE WHEN l.record = 'interruption' AND l.is_excluded THEN l.times END), 0) AS excluded_interruptions,
    MAX(l.program_ppm) AS program_ppm, MAX(l.currency) AS currency, MAX(l.cost) AS cost, MAX(l.cost_lost) AS cost_lost
FROM counted_line AS l
GROUP BY l.cluster, l.namespace, l.job;

-- Without from_ms: sums of time whose spans are not in the archive, up to to_ms; or work that was lost after its span
-- was written: less Productive, more WastedProgress.
CREATE OR REPLACE VIEW spans AS
SELECT l.cluster AS cluster, l.namespace AS namespace, l.job AS job, j.name AS name,
    CASE WHEN l.record = 'span' THEN l.from_ms END AS from_ms, l.to_ms AS to_ms, l.ms AS ms, l.times AS times,
    l.family AS family, l.bucket AS bucket, l.basis AS basis, l.cause AS cause, l.owner AS owner, l.execution AS execution, l.step AS step, l.last_step AS last_step,
    l.interruption AS interruption, l.recovery AS recovery, l.evidence AS evidence,
    j.chips AS chips, j.has_steps AS has_steps, COALESCE(l.bound_chips, 0) AS bound_chips,
    COALESCE(l.chip_ms, 0) AS chip_ms, COALESCE(l.idle_chip_ms, 0) AS idle_chip_ms,
    COALESCE(l.waiting_chip_ms, 0) AS waiting_chip_ms
FROM counted_line AS l JOIN jobs AS j ON l.job = j.job
WHERE l.bucket IS NOT NULL;

-- Without a number: `times` interruptions that are not listed one by one.
CREATE OR REPLACE VIEW interruptions AS
SELECT i.cluster AS cluster, i.namespace AS namespace, i.job AS job, i.interruption AS interruption, i.times AS times,
    i.from_ms AS from_ms, i.to_ms AS to_ms, i.cause AS cause, i.root_cause AS root_cause, i.owner AS owner,
    i.is_excluded AS is_excluded, i.node AS node, i.node_pool AS node_pool, i.evidence AS evidence,
    COALESCE(c.lost_ms, 0) AS lost_ms, COALESCE(c.lost_chip_ms, i.lost_chip_ms, 0) AS lost_chip_ms,
    COALESCE(c.lost_work_ms, 0) AS lost_work_ms, COALESCE(c.wait_ms, 0) AS wait_ms,
    COALESCE(c.reschedule_ms, 0) AS reschedule_ms, COALESCE(c.resume_ms, 0) AS resume_ms
FROM counted_line AS i
LEFT JOIN (
    SELECT p.job AS cost_job, p.number AS cost_number, SUM(p.lost_ms) AS lost_ms, SUM(p.lost_chip_ms) AS lost_chip_ms,
        SUM(p.lost_work_ms) AS lost_work_ms, SUM(p.wait_ms) AS wait_ms, SUM(p.reschedule_ms) AS reschedule_ms,
        SUM(p.resume_ms) AS resume_ms
    FROM (
        SELECT s.job, s.interruption AS number, s.ms AS lost_ms, s.chip_ms AS lost_chip_ms,
            CASE WHEN s.is_lost_work THEN s.ms END AS lost_work_ms, NULL AS wait_ms, NULL AS reschedule_ms, NULL AS resume_ms
        FROM counted_line AS s WHERE s.record = 'span' AND s.interruption > 0
        UNION ALL
        SELECT s.job, s.execution - 1, NULL, NULL, NULL, CASE WHEN s.recovery = 'Wait' THEN s.ms END,
            CASE WHEN s.recovery = 'Reschedule' THEN s.ms END, CASE WHEN s.recovery = 'Resume' THEN s.ms END
        FROM counted_line AS s WHERE s.recovery IS NOT NULL
        UNION ALL
        SELECT s.job, s.interruption, s.lost_ms, s.lost_chip_ms, s.lost_work_ms, s.wait_ms, s.reschedule_ms, s.resume_ms
        FROM counted_line AS s WHERE s.record = 'settled' AND s.interruption > 0) AS p
    GROUP BY p.job, p.number) AS c
    ON i.job = c.cost_job AND i.interruption = c.cost_number
WHERE i.record = 'interruption';

-- Chip time of each hour and bucket: chip_ms of what jobs ask for, allocated_chip_ms of what is bound to nodes. A span
-- adds to all time after its start and takes from all time after its end: `rate` is per millisecond of later hours,
-- `part` is in the hour itself. Sums without a span are in the hour in which they end.
CREATE OR REPLACE VIEW buckets_by_hour AS
WITH edge AS (
    SELECT s.cluster, s.family, s.bucket, s.has_steps, s.from_ms - MOD(s.from_ms, 3600000) AS hour_ms,
        (3600000 - MOD(s.from_ms, 3600000)) * s.chips AS part, s.chips AS rate,
        (3600000 - MOD(s.from_ms, 3600000)) * s.bound_chips AS bound_part, s.bound_chips AS bound_rate
    FROM spans AS s WHERE s.from_ms IS NOT NULL
    UNION ALL
    SELECT s.cluster, s.family, s.bucket, s.has_steps, s.to_ms - MOD(s.to_ms, 3600000),
        (MOD(s.to_ms, 3600000) - 3600000) * s.chips, -s.chips,
        (MOD(s.to_ms, 3600000) - 3600000) * s.bound_chips, -s.bound_chips
    FROM spans AS s WHERE s.from_ms IS NOT NULL
    UNION ALL
    SELECT s.cluster, s.family, s.bucket, s.has_steps, (s.to_ms - 1) - MOD(s.to_ms - 1, 3600000),
        s.ms * s.chips, 0, s.chip_ms + s.idle_chip_ms, 0
    FROM spans AS s WHERE s.from_ms IS NULL),
edges AS (
    SELECT e.cluster, e.family, e.bucket, e.has_steps, e.hour_ms, SUM(e.part) AS part, SUM(e.rate) AS rate,
        SUM(e.bound_part) AS bound_part, SUM(e.bound_rate) AS bound_rate
    FROM edge AS e GROUP BY e.cluster, e.family, e.bucket, e.has_steps, e.hour_ms),
known AS (
    SELECT h.cluster AS cluster, h.family AS family, h.bucket AS bucket, h.has_steps AS has_steps,
        h.first_ms + number.n * 3600000 AS hour_ms
    FROM (SELECT e.cluster, e.family, e.bucket, e.has_steps, MIN(e.hour_ms) AS first_ms, MAX(e.hour_ms) AS last_ms
        FROM edges AS e GROUP BY e.cluster, e.family, e.bucket, e.has_steps) AS h
    CROSS JOIN (SELECT n FROM number WHERE n <= (SELECT (MAX(e.hour_ms) - MIN(e.hour_ms)) / 3600000 FROM edges AS e)) AS number
    WHERE h.first_ms + number.n * 3600000 <= h.last_ms),
summed AS (
    SELECT k.cluster AS cluster, k.family AS family, k.bucket AS bucket, k.has_steps AS has_steps, k.hour_ms AS hour_ms,
        COALESCE(e.part, 0) + 3600000 * (SUM(COALESCE(e.rate, 0)) OVER w - COALESCE(e.rate, 0)) AS chip_ms,
        COALESCE(e.bound_part, 0) + 3600000 * (SUM(COALESCE(e.bound_rate, 0)) OVER w - COALESCE(e.bound_rate, 0))
            AS allocated_chip_ms
    FROM known AS k LEFT JOIN edges AS e ON k.cluster = e.cluster AND k.family = e.family AND k.bucket = e.bucket
        AND k.has_steps = e.has_steps AND k.hour_ms = e.hour_ms
    WINDOW w AS (PARTITION BY k.cluster, k.family, k.bucket, k.has_steps ORDER BY k.hour_ms
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW))
SELECT s.cluster, s.family, s.bucket, s.has_steps, s.hour_ms, s.chip_ms, s.allocated_chip_ms
FROM summed AS s WHERE s.chip_ms <> 0 OR s.allocated_chip_ms <> 0;
