import { encodeBody } from '../../../typescript/src/exact-json.js';
import { isProblem } from '../../../typescript/src/public.js';
import type { PropertyFinanceClient as Client, TransactionRequest } from '../../../typescript/src/public.js';
import { Refusal } from '../faults.js';
import { folded } from '../reading/table.js';

/** A transaction of a line of the file, and what the service has of it. */
export interface Row {
  readonly line: number;
  readonly request: TransactionRequest & { readonly paymentReference: string };
  /** Whether the service stored it, or would; not where it was there already. */
  readonly created?: boolean;
  /** Null where it is not stored yet. */
  readonly id?: string | null;
}

/** Finds a property's id by its name, or takes an id as it is. */
export async function propertyIds(client: Client): Promise<(wanted: string | undefined) => string> {
  const ids: (readonly [name: string, id: string])[] = [];
  for await (const { id, name } of client.properties.all()) ids.push([folded(name), id]);
  return (wanted) => {
    if (wanted === undefined) throw new Error('neither the rules nor --property name the property');
    const [found, ...others] = ids.filter((names) => names.includes(wanted));
    if (found !== undefined && others.length === 0) return found[1];
    throw new Error(`there ${found === undefined ? 'is no property' : 'are several properties'} "${wanted}"`);
  };
}

/** Stores all rows or none, but for those whose reference is there already. Throws a Refusal of the service's findings. */
export async function store(client: Client, rows: readonly Row[], dryRun: boolean): Promise<Row[]> {
  const body = rows.map(({ request }) => `${encodeBody(request) ?? ''}\n`).join('');
  const options = { format: 'ndjson', duplicates: 'skip', by: 'reference', lines: true, dryRun } as const;
  try {
    const { lines = [] } = rows.length === 0 ? {} : await client.transactions.import(body, options);
    return rows.map((row, index) => {
      return { ...row, created: lines[index]?.created === true, id: lines[index]?.id ?? null };
    });
  } catch (error) {
    if (!isProblem(error, 'import-refused')) throw error;
    const faults = error.problem.findings.map(({ line, field, reason }) => {
      return { line: rows[line - 1]?.line ?? 0, message: [field, reason].filter(Boolean).join(' ') };
    });
    throw new Refusal(faults);
  }
}

/** Whether it is deleted; false when somebody has changed it since it was stored. */
export async function remove(client: Client, id: string): Promise<boolean> {
  try {
    await client.transactions.delete(id, { ifMatch: '"1"' });
    return true;
  } catch (error) {
    if (isProblem(error, 'concurrent-modification')) return false;
    if (isProblem(error, 'not-found')) return true;
    throw error;
  }
}
