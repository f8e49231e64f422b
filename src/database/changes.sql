-- Written by npm run sql.

-- Each minute

DELETE
  FROM deletions d
  WHERE d.at < now() - $1 * interval '1 ms' AND d.id = ANY (ARRAY( SELECT o.id
      FROM deletions o
      WHERE o.at < now() - $1 * interval '1 ms'
      ORDER BY o.at
      LIMIT 1000))
  RETURNING d.id;

-- Before each page of changes

SELECT n.history, n.now, n."isBlind", CASE WHEN
  (SELECT count(*)
    FROM pg_prepared_xacts p
    WHERE p.database = n.database) = 0 THEN n.horizon END AS horizon
  FROM
  (SELECT current_database() AS database, CASE WHEN NOT pg_is_in_recovery() THEN concat_ws('-',
      (SELECT c.system_identifier
        FROM pg_control_system() c), left(pg_walfile_name(pg_current_wal_lsn()), 8),
      pg_relation_filenode('properties'), pg_relation_filenode('transactions')) END AS history,
    to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS now,
    to_char((least(min(s.xact_start), now()) - interval '1 second') AT TIME ZONE 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS horizon, coalesce(bool_or(s.state = 'disabled' OR NOT
        (pg_has_role(s.usesysid, 'USAGE') OR pg_has_role('pg_read_all_stats', 'USAGE'))), false) AS
    "isBlind"
    FROM pg_stat_activity s
    WHERE s.datname = current_database() AND s.usesysid IS NOT NULL AND s.pid <> pg_backend_pid() AND
    s.application_name <> 'property-finance export') n;
