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
