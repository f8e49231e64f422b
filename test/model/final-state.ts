import { WRONG_TOTALS } from '../support/totals.js';
import type { History } from './history.js';
import type { Sql } from './outcomes.js';

/** What must find nothing once every call has been answered. */
const MUST_BE_EMPTY: Readonly<Record<string, string>> = {
  'transactions without their property': `
    SELECT t.id FROM transactions t
      LEFT JOIN properties p ON p.owner_id = t.owner_id AND p.id = t.property_id WHERE p.id IS NULL`,
  'properties without their owner': `
    SELECT p.id FROM properties p LEFT JOIN users u ON u.id = p.owner_id WHERE u.id IS NULL`,
  'ids that two rows share': `
    SELECT id FROM properties GROUP BY id HAVING count(*) > 1
    UNION ALL SELECT id FROM transactions GROUP BY id HAVING count(*) > 1`,
  'e-mails that two accounts share': 'SELECT lower(email) FROM users GROUP BY 1 HAVING count(*) > 1',
  'usernames that two accounts share': 'SELECT lower(username) FROM users GROUP BY 1 HAVING count(*) > 1',
  'wrong totals': WRONG_TOTALS,
  'totals of accounts that are gone': `
    SELECT o.owner_id FROM owner_totals o LEFT JOIN users u ON u.id = o.owner_id WHERE u.id IS NULL`,
};

/** What the calls have left behind and should not have. */
export async function finalStateFaults(sql: Sql, history: History): Promise<string[]> {
  const faults: string[] = [];
  for (const [what, text] of Object.entries(MUST_BE_EMPTY)) {
    const rows = await sql(text);
    if (rows.length > 0) faults.push(`${what}: ${JSON.stringify(rows)}`);
  }
  return [...faults, ...(await versionFaults(sql, history))];
}

/** The rows are those of the last acknowledged writes. */
async function versionFaults(sql: Sql, history: History): Promise<string[]> {
  const stored = new Map<string, number>();
  for (const table of ['properties', 'transactions']) {
    const rows = await sql<{ id: string; version: number }>(`SELECT id, version FROM ${table}`);
    for (const { id, version } of rows) stored.set(`/api/${table}/${id}`, version);
  }
  const named = new Set([...stored.keys(), ...history.resources]);
  return [...named]
    .filter((resource) => stored.get(resource) !== history.lastOf(resource)?.version)
    .map(
      (resource) =>
        `${resource} is stored with version ${stored.get(resource)}, acknowledged was ${history.lastOf(resource)?.version}`,
    );
}
