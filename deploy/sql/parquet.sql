-- DuckDB: makes Parquet of an archive, which answers faster. Once, or again when the archive has grown:
--   mkdir -p OUT; duckdb -c "SET VARIABLE archive = 'DIR'; SET VARIABLE parquet = 'OUT'" -c ".read deploy/sql/parquet.sql"
.read deploy/sql/duckdb.sql
COPY line TO (getvariable('parquet') || '/line.parquet') (COMPRESSION zstd);
CREATE OR REPLACE VIEW line AS FROM read_parquet(getvariable('parquet') || '/line.parquet');
.read deploy/sql/tables.sql
COPY jobs TO (getvariable('parquet') || '/jobs.parquet') (COMPRESSION zstd);
CREATE OR REPLACE VIEW jobs AS FROM read_parquet(getvariable('parquet') || '/jobs.parquet');
COPY spans TO (getvariable('parquet') || '/spans.parquet') (COMPRESSION zstd);
COPY interruptions TO (getvariable('parquet') || '/interruptions.parquet') (COMPRESSION zstd);
COPY label TO (getvariable('parquet') || '/label.parquet') (COMPRESSION zstd);
CREATE OR REPLACE VIEW spans AS FROM read_parquet(getvariable('parquet') || '/spans.parquet');
COPY buckets_by_hour TO (getvariable('parquet') || '/buckets_by_hour.parquet') (COMPRESSION zstd);
