-- What a fleet's archive says: the same statements in DuckDB, ClickHouse and BigQuery, on the tables of tables.sql.

-- As the FleetGoodput of all jobs counts: scheduling, runtime and goodput are of the jobs whose steps are known.
CREATE OR REPLACE VIEW fleet_by_hour AS
SELECT s.cluster, s.hour_ms, s.requested_chip_ms, s.available_chip_ms, s.allocated_chip_ms, s.known_chip_ms,
    s.known_available_chip_ms, s.productive_chip_ms, s.unobserved_chip_ms, s.unattributed_chip_ms,
    s.available_chip_ms / NULLIF(s.requested_chip_ms, 0) AS all_scheduling,
    s.known_available_chip_ms / NULLIF(s.known_chip_ms, 0) AS scheduling,
    s.productive_chip_ms / NULLIF(s.known_available_chip_ms, 0) AS runtime,
    s.productive_chip_ms / NULLIF(s.known_chip_ms, 0) AS goodput
FROM (
    SELECT b.cluster, b.hour_ms, SUM(b.chip_ms) AS requested_chip_ms,
        SUM(CASE WHEN b.family <> 'Scheduling' THEN b.chip_ms ELSE 0 END) AS available_chip_ms,
        SUM(b.allocated_chip_ms) AS allocated_chip_ms,
        SUM(b.has_steps * b.chip_ms) AS known_chip_ms,
        SUM(CASE WHEN b.family <> 'Scheduling' THEN b.has_steps * b.chip_ms ELSE 0 END) AS known_available_chip_ms,
        SUM(CASE WHEN b.bucket = 'Productive' THEN b.chip_ms ELSE 0 END) AS productive_chip_ms,
        SUM(CASE WHEN b.bucket = 'Unobserved' THEN b.has_steps * b.chip_ms ELSE 0 END) AS unobserved_chip_ms,
        SUM(CASE WHEN b.bucket = 'Unattributed' THEN b.has_steps * b.chip_ms ELSE 0 END) AS unattributed_chip_ms
    FROM buckets_by_hour AS b GROUP BY b.cluster, b.hour_ms) AS s;

-- By each label of the JobGoodputs. cost is known of jobs that have ended and have a price.
CREATE OR REPLACE VIEW cost_by_label AS
SELECT t.label AS label, t.value AS value, j.cluster AS cluster, j.currency AS currency, COUNT(*) AS jobs, SUM(j.cost) AS cost, SUM(j.cost_lost) AS cost_lost,
    SUM(j.chips * j.wall_ms) AS requested_chip_ms, SUM(j.allocated_chip_ms) AS allocated_chip_ms,
    SUM(j.productive_chip_ms) AS productive_chip_ms
FROM jobs AS j JOIN label AS t ON j.job = t.job
GROUP BY t.label, t.value, j.cluster, j.currency;

-- What the fleet promises: write your own targets here.
CREATE OR REPLACE VIEW objective AS
SELECT 'Scheduling' AS objective, 0.95 AS target UNION ALL
SELECT 'Runtime', 0.90 UNION ALL
SELECT 'Goodput', 0.85;

-- Periods of 28 days. budget_left: the share of the losses that the target allows that is not lost yet.
CREATE OR REPLACE VIEW slo AS
SELECT g.cluster, g.period_ms, g.objective, g.target, g.good_chip_ms, g.total_chip_ms,
    g.good_chip_ms / NULLIF(g.total_chip_ms, 0) AS achieved,
    1 - (g.total_chip_ms - g.good_chip_ms) / NULLIF(g.total_chip_ms * (1 - g.target), 0) AS budget_left
FROM (
    SELECT h.cluster AS cluster, h.period_ms AS period_ms, o.objective AS objective, o.target AS target,
        CASE WHEN o.objective = 'Scheduling' THEN h.known_available_chip_ms ELSE h.productive_chip_ms END AS good_chip_ms,
        CASE WHEN o.objective = 'Runtime' THEN h.known_available_chip_ms ELSE h.known_chip_ms END AS total_chip_ms
    FROM (
        SELECT f.cluster, f.hour_ms - MOD(f.hour_ms, 2419200000) AS period_ms, SUM(f.known_chip_ms) AS known_chip_ms,
            SUM(f.known_available_chip_ms) AS known_available_chip_ms, SUM(f.productive_chip_ms) AS productive_chip_ms
        FROM fleet_by_hour AS f GROUP BY 1, 2) AS h
    CROSS JOIN objective AS o) AS g;

-- Nodes that failed jobs more often than the others of their pool, in a period of 28 days, by more than chance: given the
-- failures of a pool, those of a node are binomial. nodes: of the pool, those that failed; the archive has no others.
CREATE OR REPLACE VIEW suspects AS
WITH failure AS (
    SELECT i.cluster, i.from_ms - MOD(i.from_ms, 2419200000) AS period_ms, COALESCE(i.node_pool, '') AS pool, i.node,
        COUNT(*) AS failures, SUM(i.lost_chip_ms) AS lost_chip_ms, MIN(i.from_ms) AS first_ms, MAX(i.from_ms) AS last_ms
    FROM interruptions AS i WHERE i.cause = 'NodeFailure' AND i.node IS NOT NULL AND i.from_ms IS NOT NULL
    GROUP BY 1, 2, 3, 4),
pools AS (
    SELECT f.cluster, f.period_ms, f.pool, SUM(f.failures) AS pool_failures, COUNT(*) AS nodes
    FROM failure AS f GROUP BY f.cluster, f.period_ms, f.pool HAVING COUNT(*) > 1),
log_factorial AS (
    SELECT number.n, SUM(LN(CASE WHEN number.n = 0 THEN 1 ELSE number.n END)) OVER (ORDER BY number.n) AS log_value
    FROM number),
term AS ( -- of the probability of as many failures or more; those beyond 1,000 more add nothing
    SELECT f.cluster AS cluster, f.period_ms AS period_ms, f.pool AS pool, f.node AS node, f.failures + number.n AS x,
        p.pool_failures - f.failures - number.n AS y, p.pool_failures AS pool_failures, p.nodes AS nodes
    FROM failure AS f JOIN pools AS p ON f.cluster = p.cluster AND f.period_ms = p.period_ms AND f.pool = p.pool
    CROSS JOIN number WHERE number.n < 1000 AND f.failures > 1 AND f.failures + number.n <= p.pool_failures),
tail AS (
    SELECT t.cluster AS cluster, t.period_ms AS period_ms, t.pool AS pool, t.node AS node, t.pool_failures AS pool_failures,
        t.nodes AS nodes,
        SUM(EXP(a.log_value - b.log_value - c.log_value - t.x * LN(t.nodes) + t.y * LN(1 - 1 / t.nodes))) AS chance
    FROM term AS t JOIN log_factorial AS a ON a.n = t.pool_failures JOIN log_factorial AS b ON b.n = t.x
    JOIN log_factorial AS c ON c.n = t.y
    GROUP BY t.cluster, t.period_ms, t.pool, t.node, t.pool_failures, t.nodes)
SELECT f.cluster AS cluster, f.period_ms AS period_ms, f.pool AS pool, f.node AS node, f.failures AS failures,
    t.pool_failures AS pool_failures, t.nodes AS nodes, t.chance AS chance, f.lost_chip_ms AS lost_chip_ms,
    f.first_ms AS first_ms, f.last_ms AS last_ms
FROM failure AS f JOIN tail AS t ON f.cluster = t.cluster AND f.period_ms = t.period_ms AND f.pool = t.pool AND f.node = t.node
WHERE t.chance <= 0.001;

-- Targets of runs: jobs of a namespace with the same label goodput.dev/run, or else the same name. Without the label a
-- target that follows one that succeeded starts another run. resumed_step: the lowest step at which an execution starts,
-- NULL: none is known; has_sums: earlier executions may have started lower.
CREATE OR REPLACE VIEW run_targets AS
WITH named AS (
    SELECT j.cluster AS cluster, j.namespace AS namespace, COALESCE(NULLIF(t.value, ''), j.name) AS run, j.job AS job,
        CASE WHEN NULLIF(t.value, '') IS NULL THEN 1 ELSE 0 END AS is_by_name, j.start_ms AS start_ms, j.through_ms AS through_ms,
        CASE WHEN j.phase = 'Completed' THEN 1 ELSE 0 END AS has_succeeded
    FROM jobs AS j LEFT JOIN (SELECT l.job, MAX(l.value) AS value FROM label AS l WHERE l.label = 'goodput.dev/run' GROUP BY l.job) AS t
        ON j.job = t.job),
started AS (
    SELECT n.cluster AS cluster, n.namespace AS namespace, n.run AS run, n.job AS job, n.start_ms AS start_ms,
        n.through_ms AS through_ms,
        n.is_by_name * COALESCE(LAG(n.has_succeeded) OVER (PARTITION BY n.cluster, n.namespace, n.run ORDER BY n.start_ms, n.job), 0)
            AS starts_another
    FROM named AS n),
numbered AS (
    SELECT s.cluster AS cluster, s.namespace AS namespace, s.run AS run, s.job AS job, s.start_ms AS start_ms,
        s.through_ms AS through_ms,
        1 + SUM(s.starts_another) OVER (PARTITION BY s.cluster, s.namespace, s.run ORDER BY s.start_ms, s.job
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS number
    FROM started AS s),
placed AS (
    SELECT n.cluster AS cluster, n.namespace AS namespace, n.run AS run, n.number AS number, n.job AS job,
        n.start_ms AS start_ms, n.through_ms AS through_ms,
        MAX(n.through_ms) OVER (PARTITION BY n.cluster, n.namespace, n.run, n.number ORDER BY n.start_ms, n.job
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_ms
    FROM numbered AS n),
first_span AS (
    SELECT s.job, s.execution, MIN(s.from_ms) AS from_ms FROM spans AS s
    WHERE s.step IS NOT NULL AND s.from_ms IS NOT NULL GROUP BY s.job, s.execution),
resumed AS (
    SELECT s.job AS job, MIN(s.step) AS step FROM spans AS s
    JOIN first_span AS f ON s.job = f.job AND s.execution = f.execution AND s.from_ms = f.from_ms
    WHERE s.step IS NOT NULL GROUP BY s.job),
complete AS (SELECT s.job, MIN(s.from_ms) AS from_ms FROM spans AS s GROUP BY s.job)
SELECT p.cluster AS cluster, p.namespace AS namespace, p.run AS run, p.number AS number, p.job AS job, p.start_ms AS start_ms,
    p.through_ms AS through_ms, GREATEST(0, p.start_ms - COALESCE(p.before_ms, p.start_ms)) AS not_submitted_ms,
    GREATEST(0, LEAST(p.through_ms, COALESCE(p.before_ms, p.start_ms)) - p.start_ms) AS overlap_ms, r.step AS resumed_step,
    CASE WHEN u.from_ms = p.start_ms THEN 0 ELSE 1 END AS has_sums
FROM placed AS p LEFT JOIN resumed AS r ON p.job = r.job LEFT JOIN complete AS u ON p.job = u.job;

-- Productive time of a target that a later target of its run lost: that of the steps from which on it resumed. min, max:
-- its bounds, where a span has such steps and others.
CREATE OR REPLACE VIEW run_losses AS
WITH kept AS ( -- steps up to these were kept
    SELECT t.job AS job, MIN(l.resumed_step) - 1 AS sure_step,
        MIN(CASE WHEN l.has_sums = 1 THEN 0 ELSE l.resumed_step END) - 1 AS possible_step
    FROM run_targets AS t JOIN run_targets AS l ON t.cluster = l.cluster AND t.namespace = l.namespace AND t.run = l.run
        AND t.number = l.number
    WHERE (l.start_ms > t.start_ms OR (l.start_ms = t.start_ms AND l.job > t.job)) AND l.resumed_step IS NOT NULL
    GROUP BY t.job),
trained AS (
    SELECT s.job AS job, k.possible_step AS possible_step, MAX(k.sure_step) AS sure_step, SUM(s.ms) AS kept_ms,
        SUM(CASE WHEN s.from_ms IS NOT NULL AND s.step > k.sure_step THEN s.ms ELSE 0 END) AS sure_ms,
        SUM(CASE WHEN s.from_ms IS NULL AND s.ms < 0 THEN -s.ms ELSE 0 END) AS corrected_ms,
        SUM(CASE WHEN s.from_ms IS NOT NULL AND (s.step IS NULL OR s.last_step > k.possible_step) THEN s.ms ELSE 0 END) AS possible_ms,
        SUM(CASE WHEN s.from_ms IS NULL AND s.ms > 0 THEN s.ms ELSE 0 END) AS summed_ms, MIN(s.step) AS first_step
    FROM spans AS s JOIN kept AS k ON s.job = k.job WHERE s.bucket = 'Productive' GROUP BY s.job, k.possible_step)
SELECT t.job AS job, GREATEST(0, t.sure_ms - t.corrected_ms) AS min_ms,
    LEAST(t.kept_ms, t.possible_ms
        + CASE WHEN t.first_step IS NULL OR t.first_step > t.possible_step + 1 THEN t.summed_ms ELSE 0 END) AS max_ms
FROM trained AS t;

-- Several targets as one run. Its wall time is that of its targets and the time between them. goodput_min, goodput_max:
-- productive / wall time.
CREATE OR REPLACE VIEW runs AS
SELECT r.cluster, r.namespace, r.run, r.number, r.targets, r.start_ms, r.through_ms, r.wall_ms, r.not_submitted_ms, r.overlap_ms,
    r.available_ms, r.productive_ms - r.lost_max_ms AS productive_min_ms, r.productive_ms - r.lost_min_ms AS productive_max_ms,
    r.lost_min_ms, r.lost_max_ms, r.interruptions, r.has_steps,
    CASE WHEN r.has_steps = 1 THEN (r.productive_ms - r.lost_max_ms) / NULLIF(r.wall_ms, 0) END AS goodput_min,
    CASE WHEN r.has_steps = 1 THEN (r.productive_ms - r.lost_min_ms) / NULLIF(r.wall_ms, 0) END AS goodput_max
FROM (
    SELECT t.cluster AS cluster, t.namespace AS namespace, t.run AS run, t.number AS number, COUNT(*) AS targets, MIN(t.start_ms) AS start_ms,
        MAX(t.through_ms) AS through_ms, SUM(j.wall_ms) + SUM(t.not_submitted_ms) AS wall_ms,
        SUM(t.not_submitted_ms) AS not_submitted_ms, SUM(t.overlap_ms) AS overlap_ms, SUM(j.available_ms) AS available_ms,
        SUM(j.productive_ms) AS productive_ms, SUM(COALESCE(l.min_ms, 0)) AS lost_min_ms, SUM(COALESCE(l.max_ms, 0)) AS lost_max_ms,
        SUM(j.interruptions) AS interruptions, MAX(j.has_steps) AS has_steps
    FROM run_targets AS t JOIN jobs AS j ON t.job = j.job LEFT JOIN run_losses AS l ON t.job = l.job
    GROUP BY t.cluster, t.namespace, t.run, t.number) AS r;
