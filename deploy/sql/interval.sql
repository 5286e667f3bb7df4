-- A window of each job's time, from the table and views of recompute.sql. from_time and to_time are its ends; without
-- them it is all of the job's time:
--   duckdb -c "SET VARIABLE files = 'ledger.jsonl'; SET VARIABLE from_time = '2026-11-01T06:00:00Z'"
--     -c ".read deploy/sql/recompute.sql" -c ".read deploy/sql/interval.sql" -c "FROM interval_goodput"
-- low and high are bounds. They are equal where the window does not cut the time of which only sums are known.
CREATE OR REPLACE MACRO overlap(a, b, c, d) AS greatest(0, least(b, d) - greatest(a, c));
-- The rule. m milliseconds lie somewhere in a time of length l, of which i_low to i_high are in the window: so many of
-- them are.
CREATE OR REPLACE MACRO share_low(m, l, i_low) AS greatest(0, m - (l - i_low));
CREATE OR REPLACE MACRO share_high(m, i_high) AS least(m, i_high);

-- start_ms to complete_ms: the time of sums. from_ms to to_ms: the window, inside the job's time.
CREATE OR REPLACE VIEW interval_window AS
SELECT job, start_ms, complete_ms, through_ms, greatest(start_ms, least(through_ms, coalesce(f, start_ms))) AS from_ms,
    greatest(start_ms, least(through_ms, coalesce(t, through_ms))) AS to_ms,
    complete_ms - start_ms AS sums_length, overlap(start_ms, complete_ms, from_ms, to_ms) AS sums_inside
FROM (SELECT job, epoch_ms(min("from") FILTER (record = 'job')) AS start_ms, epoch_ms(min(completeFrom)) AS complete_ms,
    coalesce(epoch_ms(max("to") FILTER (record = 'span')), complete_ms) AS through_ms,
    epoch_ms(getvariable('from_time')::VARCHAR::TIMESTAMPTZ) AS f, epoch_ms(getvariable('to_time')::VARCHAR::TIMESTAMPTZ) AS t
    FROM record GROUP BY job);

-- What was lost after its span was written: m milliseconds at a time. It is the newest productive time that is not lost
-- yet. So what is left of the time before x is the lowest level that the productive time has from x on.
CREATE OR REPLACE VIEW interval_level AS
WITH loss AS (SELECT job, epoch_ms("to") AS at_ms, -sum(milliseconds)::BIGINT AS m FROM record
    WHERE record = 'settled' AND "from" IS NULL AND bucket = 'Productive' GROUP BY ALL),
point AS (SELECT job, 'loss' AS place, at_ms AS x, m FROM loss
    UNION ALL SELECT job, unnest(['sums', 'low', 'high']), unnest([complete_ms, greatest(complete_ms, from_ms), greatest(complete_ms, to_ms)]), 0
    FROM interval_window),
trained AS (SELECT p.job, p.place, p.x, p.m, coalesce(sum(CASE WHEN s.record = 'settled' THEN s.milliseconds
        ELSE greatest(0, least(epoch_ms(s."to"), p.x) - epoch_ms(s."from")) END), 0)::BIGINT AS ms
    FROM point p LEFT JOIN record s ON s.job = p.job AND s.bucket = 'Productive'
        AND (s.record = 'span' OR (s.record = 'settled' AND s."from" IS NOT NULL))
    GROUP BY ALL)
SELECT job, place, x, m, ms - coalesce((SELECT sum(l.m) FROM loss l WHERE l.job = t.job AND l.at_ms <= t.x), 0)::BIGINT AS level
FROM trained t;

-- What each loss took of the time before each place, and what is left of that in the end.
CREATE OR REPLACE VIEW interval_taken AS
SELECT p.job, p.place, l.x AS at_ms, CASE WHEN l.x <= p.x THEN l.m ELSE
    least(p.level, min(CASE WHEN l.x > p.x THEN l.level END) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))
    - least(p.level, min(CASE WHEN l.x > p.x THEN l.level END) OVER (w ROWS UNBOUNDED PRECEDING)) END AS ms
FROM interval_level p JOIN interval_level l ON p.job = l.job AND p.place <> 'loss' AND l.place = 'loss'
WINDOW w AS (PARTITION BY p.job, p.place ORDER BY l.x);
CREATE OR REPLACE VIEW interval_kept AS
SELECT p.job, p.place, least(any_value(p.level), min(l.level)) AS ms
FROM interval_level p LEFT JOIN interval_level l ON p.job = l.job AND l.place = 'loss' AND l.x > p.x
WHERE p.place <> 'loss' GROUP BY p.job, p.place;
CREATE OR REPLACE VIEW interval_lost AS
SELECT job, at_ms, m, exact + share_low(of_sums, sums_length, sums_inside) AS lost_low, exact + share_high(of_sums, sums_inside) AS lost_high
FROM (SELECT t.job, t.at_ms, any_value(v.m) AS m, sum(t.ms) FILTER (t.place = 'sums') AS of_sums,
        sum(t.ms) FILTER (t.place = 'high') - sum(t.ms) FILTER (t.place = 'low') AS exact
    FROM interval_taken t JOIN interval_level v ON v.job = t.job AND v.place = 'loss' AND v.x = t.at_ms GROUP BY t.job, t.at_ms)
JOIN interval_window USING (job);

-- Each line with the time in which its milliseconds lie.
CREATE OR REPLACE VIEW interval_line AS
SELECT r.job, r.record, r.bucket, r.family, r.owner, r.cause, r.interruption, r.milliseconds, r.interruptionMilliseconds,
    r.lostMilliseconds, CASE WHEN r.record = 'span' THEN r.milliseconds WHEN r."from" IS NULL THEN t.m ELSE w.sums_length END AS l,
    CASE WHEN r.record = 'span' THEN overlap(epoch_ms(r."from"), epoch_ms(r."to"), w.from_ms, w.to_ms)
        WHEN r."from" IS NULL THEN t.lost_low ELSE w.sums_inside END AS i_low,
    CASE WHEN r.record = 'span' OR r."from" IS NOT NULL THEN i_low ELSE t.lost_high END AS i_high
FROM record r JOIN interval_window w ON r.job = w.job LEFT JOIN interval_lost t ON r.job = t.job AND epoch_ms(r."to") = t.at_ms
WHERE r.record IN ('span', 'settled') AND coalesce(r.bucket, '') <> 'Productive';

-- Time by bucket, Productive included.
CREATE OR REPLACE VIEW interval_bucket AS
SELECT job, family, bucket, sum(share_low(milliseconds, l, i_low))::BIGINT AS low, sum(share_high(milliseconds, i_high))::BIGINT AS high
FROM interval_line WHERE bucket IS NOT NULL GROUP BY ALL HAVING high > 0
UNION ALL SELECT job, 'Productive', 'Productive',
    sum(CASE k.place WHEN 'high' THEN k.ms WHEN 'low' THEN -k.ms ELSE share_low(k.ms, w.sums_length, w.sums_inside) END)::BIGINT AS low,
    sum(CASE k.place WHEN 'high' THEN k.ms WHEN 'low' THEN -k.ms ELSE share_high(k.ms, w.sums_inside) END)::BIGINT AS high
FROM interval_kept k JOIN interval_window w USING (job) GROUP BY job HAVING high > 0;

-- Lost time by cause and owner. Without a cause no interruption caused it.
CREATE OR REPLACE VIEW interval_name AS
SELECT job, interruption, coalesce(max(cause) FILTER (record <> 'span'), arg_max(cause, "from")) AS cause,
    coalesce(max(owner) FILTER (record <> 'span'), arg_max(owner, "from")) AS owner
FROM record WHERE record IN ('span', 'interruption', 'end') AND interruption > 0 GROUP BY job, interruption;
CREATE OR REPLACE VIEW interval_loss AS
SELECT job, cause, owner, sum(low)::BIGINT AS low, sum(high)::BIGINT AS high FROM (
    SELECT x.job, CASE WHEN x.interruption > 0 THEN coalesce(n.cause, '') WHEN x.bucket IS NULL THEN '(not listed)' ELSE '' END AS cause,
        coalesce(n.owner, x.owner) AS owner, share_low(x.ms, x.l, x.i_low) AS low, share_high(x.ms, x.i_high) AS high
    FROM (SELECT *, CASE WHEN bucket IS NULL THEN lostMilliseconds
            ELSE milliseconds - coalesce(interruptionMilliseconds, 0) END AS ms FROM interval_line) x
    LEFT JOIN interval_name n ON x.job = n.job AND x.interruption = n.interruption
    WHERE x.ms IS NOT NULL) GROUP BY ALL HAVING sum(high) > 0;

-- Interruptions. Those of a job that runs have no line yet: the next execution starts where one is.
CREATE OR REPLACE VIEW interval_interruption AS
WITH listed AS (SELECT job, interruption, epoch_ms("from") AS at_ms, cause, owner FROM record
    WHERE record = 'interruption' AND "from" IS NOT NULL),
started AS (SELECT job, coalesce(lag(highest) OVER w, execution) AS before, execution, at_ms
    FROM (SELECT job, execution, epoch_ms("from") AS at_ms, max(execution) OVER (PARTITION BY job ORDER BY "from") AS highest
        FROM record WHERE record = 'span')
    WINDOW w AS (PARTITION BY job ORDER BY at_ms)),
unlisted AS (SELECT s.job, unnest(range(s.before, s.execution)) AS interruption, s.at_ms FROM started s
    WHERE s.before > 0 AND s.execution > s.before)
SELECT e.job, e.interruption, e.at_ms, e.cause, e.owner FROM (
    SELECT * FROM listed UNION ALL
    SELECT u.job, u.interruption, u.at_ms, coalesce(n.cause, ''), coalesce(n.owner, '') FROM unlisted u
    LEFT JOIN interval_name n ON u.job = n.job AND u.interruption = n.interruption
    WHERE NOT EXISTS (FROM record l WHERE l.job = u.job AND l.record IN ('interruption', 'end') AND l.interruption = u.interruption)) e
JOIN interval_window w ON e.job = w.job
WHERE e.at_ms >= w.from_ms AND (e.at_ms < w.to_ms OR (e.at_ms = w.to_ms AND e.at_ms = w.through_ms));

-- The scores in parts per million. What is not known is NULL.
CREATE OR REPLACE VIEW interval_goodput AS
SELECT job, wall, ppm(available_low, wall) AS scheduling_low, ppm(available_high, wall) AS scheduling_high,
    CASE WHEN has_steps THEN ppm(low, available_high) END AS runtime_low,
    CASE WHEN has_steps AND available_high > 0 THEN CASE WHEN high = 0 THEN 0 WHEN high >= available_low THEN 1000000
        ELSE ppm(high, available_low) END END AS runtime_high,
    CASE WHEN has_steps THEN ppm(low, wall) END AS job_low, CASE WHEN has_steps THEN ppm(high, wall) END AS job_high,
    untimed_low + (SELECT count(*) FROM interval_interruption i WHERE i.job = x.job) AS interruptions_low,
    untimed_high + (SELECT count(*) FROM interval_interruption i WHERE i.job = x.job) AS interruptions_high
FROM (SELECT w.job, w.to_ms - w.from_ms AS wall,
        coalesce(sum(b.low) FILTER (b.family <> 'Scheduling'), 0)::BIGINT AS available_low,
        least(wall, coalesce(sum(b.high) FILTER (b.family <> 'Scheduling'), 0)::BIGINT) AS available_high,
        coalesce(sum(b.low) FILTER (b.bucket = 'Productive'), 0)::BIGINT AS low,
        coalesce(sum(b.high) FILTER (b.bucket = 'Productive'), 0)::BIGINT AS high,
        bool_or(EXISTS (FROM record r WHERE r.job = w.job AND (r.record = 'steps' OR r.bucket = 'Productive'))) AS has_steps,
        coalesce(any_value(u.low), 0) AS untimed_low, coalesce(any_value(u.high), 0) AS untimed_high
    FROM interval_window w LEFT JOIN interval_bucket b ON b.job = w.job
    LEFT JOIN (SELECT r.job, sum(r.count * (v.i = v.l)::INT)::BIGINT AS low, sum(r.count * (v.i > 0 OR v.l = 0)::INT)::BIGINT AS high
        FROM record r JOIN (SELECT job, only_counted, CASE WHEN only_counted THEN through_ms - start_ms ELSE sums_length END AS l,
                CASE WHEN only_counted THEN to_ms - from_ms ELSE sums_inside END AS i
            FROM interval_window, (SELECT unnest([true, false]) AS only_counted)) v
            ON r.job = v.job AND coalesce(r.onlyCounted, false) = v.only_counted
        WHERE r.record = 'interruption' AND r."from" IS NULL GROUP BY r.job) u ON u.job = w.job
    GROUP BY w.job, w.to_ms, w.from_ms) x;
