-- DuckDB: what parquet.sql made, for views.sql.
--   duckdb -c "SET VARIABLE parquet = 'OUT'" -c ".read deploy/sql/duckdb-parquet.sql" -c ".read deploy/sql/views.sql"
CREATE OR REPLACE VIEW jobs AS FROM read_parquet(getvariable('parquet') || '/jobs.parquet');
CREATE OR REPLACE VIEW spans AS FROM read_parquet(getvariable('parquet') || '/spans.parquet');
CREATE OR REPLACE VIEW interruptions AS FROM read_parquet(getvariable('parquet') || '/interruptions.parquet');
CREATE OR REPLACE VIEW label AS FROM read_parquet(getvariable('parquet') || '/label.parquet');
CREATE OR REPLACE VIEW buckets_by_hour AS FROM read_parquet(getvariable('parquet') || '/buckets_by_hour.parquet');
CREATE OR REPLACE VIEW number AS SELECT range AS n FROM range(200000);
