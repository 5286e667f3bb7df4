-- DuckDB: the lines of an archive, for tables.sql.
--   duckdb -c "SET VARIABLE archive = 'DIR'" -c ".read deploy/sql/duckdb.sql" -c ".read deploy/sql/tables.sql"
--     -c ".read deploy/sql/views.sql" -c "FROM fleet_by_hour"
CREATE OR REPLACE VIEW line AS SELECT
    regexp_extract(path, '/cluster=([^/]*)/', 1) AS cluster,
    regexp_extract(path, '/namespace=([^/]*)/', 1) AS namespace,
    regexp_replace(path, '^.*/(cluster=[^/]*/)date=[^/]*/(namespace=[^/]*/[^/]*)_[0-9]{6,}[.]jsonl[.]gz$', '\1\2') AS job,
    regexp_extract(path, '_([0-9]{6,})[.]jsonl[.]gz$', 1)::BIGINT AS sequence,
    record, name, uid, target, labels, epoch_ms("from") AS from_ms, epoch_ms("to") AS to_ms, final AS is_final, milliseconds AS ms,
    "count" AS times, bucket, family, basis, cause, owner, rootCause AS root_cause, execution, interruption, recovery,
    lostWork AS is_lost_work, chipMilliseconds AS chip_ms, idleChipMilliseconds AS idle_chip_ms,
    waitingChipMilliseconds AS waiting_chip_ms,
    (coalesce(chipMilliseconds, 0) + coalesce(idleChipMilliseconds, 0)) // nullif(milliseconds, 0) AS bound_chips,
    (coalesce(chipMilliseconds, 0) + coalesce(idleChipMilliseconds, 0) + coalesce(waitingChipMilliseconds, 0))
        // nullif(milliseconds, 0) AS asked_chips, excluded AS is_excluded, recovered AS is_recovered, node,
    nodePool AS node_pool, evidence, lostMilliseconds AS lost_ms, lostChipMilliseconds AS lost_chip_ms,
    lostWorkMilliseconds AS lost_work_ms, rescheduleMilliseconds AS reschedule_ms, resumeMilliseconds AS resume_ms,
    waitMilliseconds AS wait_ms, step, coalesce(lastStep, step) AS last_step, status.phase AS phase, status.target.queue AS queue,
    status.target.accelerator AS accelerator, status.target.chips AS chips, status.goodputPPM.program AS program_ppm,
    status.cost.currency AS currency, status.cost.allocated AS cost, status.cost.lost AS cost_lost
FROM read_json(getvariable('archive') || '/cluster=*/date=*/namespace=*/*.jsonl.gz', format = 'newline_delimited',
    compression = 'gzip', filename = 'path', hive_partitioning = false, maximum_object_size = 67108864, columns = {
    record: 'VARCHAR', name: 'VARCHAR', uid: 'VARCHAR', target: 'VARCHAR', labels: 'STRUCT("key" VARCHAR, "value" VARCHAR)[]',
    "from": 'TIMESTAMPTZ', "to": 'TIMESTAMPTZ', final: 'BOOLEAN', milliseconds: 'BIGINT', "count": 'BIGINT', bucket: 'VARCHAR',
    family: 'VARCHAR', basis: 'VARCHAR', cause: 'VARCHAR', owner: 'VARCHAR', rootCause: 'VARCHAR', execution: 'BIGINT',
    interruption: 'BIGINT', recovery: 'VARCHAR', lostWork: 'BOOLEAN', chipMilliseconds: 'BIGINT',
    idleChipMilliseconds: 'BIGINT', waitingChipMilliseconds: 'BIGINT', excluded: 'BOOLEAN', recovered: 'BOOLEAN',
    node: 'VARCHAR', nodePool: 'VARCHAR', evidence: 'VARCHAR', lostMilliseconds: 'BIGINT', lostChipMilliseconds: 'BIGINT',
    lostWorkMilliseconds: 'BIGINT', rescheduleMilliseconds: 'BIGINT', resumeMilliseconds: 'BIGINT', waitMilliseconds: 'BIGINT',
    step: 'BIGINT', lastStep: 'BIGINT',
    status: 'STRUCT(phase VARCHAR, target STRUCT(queue VARCHAR, accelerator VARCHAR, chips BIGINT),
        goodputPPM STRUCT(program BIGINT), cost STRUCT(currency VARCHAR, allocated DECIMAL(18, 2), lost DECIMAL(18, 2)))'});

CREATE OR REPLACE VIEW label AS SELECT DISTINCT cluster, namespace, job, l."key" AS label, l."value" AS value
FROM (SELECT cluster, namespace, job, unnest(labels) AS l FROM line WHERE record = 'job');
CREATE OR REPLACE VIEW number AS SELECT range AS n FROM range(200000);
