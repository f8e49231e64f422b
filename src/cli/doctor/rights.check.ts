import { fail, type Finding, ok } from './finding.js';

/** The tables that are there and that this role may not read and write as the service does. */
export const CLOSED_TABLES = `
  SELECT c.relname AS name
    FROM pg_class c
   WHERE c.relnamespace = to_regnamespace(current_schema()) AND c.relkind = 'r'
     AND c.relname IN ('users', 'properties', 'transactions', 'owner_totals', 'property_totals',
                       'idempotency_keys')
     AND NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
              AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE'))
   ORDER BY c.relname`;

export function checkRights(closed: readonly string[]): Finding {
  if (closed.length === 0) return ok('rights', 'the role may read and write every table that is there');
  return fail(
    'rights',
    `the role may not read and write ${closed.join(', ')}`,
    'as the owner of the schema, in psql: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO … ' +
      '(docs/security.md has all of them)',
  );
}
