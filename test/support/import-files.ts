import { parse } from 'lossless-json';
import { bodyOf, expectProblem, pageOf } from './responses.js';
import type { HttpResponse } from './client.js';
import { createProperty } from './factories.js';
import type { Account, Service } from './service.js';

export const IMPORT = '/api/transactions/import';
const EXPORT = '/api/transactions/export';
export const CSV = 'text/csv';
export const NDJSON = 'application/x-ndjson';
/** Stands in a file for the id of the host's property. */
const PROPERTY = 4242424242;

export type Cells = Record<string, string | number>;

const CELLS: Cells = {
  ...{ propertyId: PROPERTY, type: 'EXPENSE', category: 'CLEANING', description: 'Cleaning' },
  ...{ amount: '12.50', date: '2026-01-15T10:30:00Z' },
};

/** A file with the columns of its rows. A text is a line of its own; cells are not quoted. */
export function csv(...rows: readonly (Cells | string)[]): string {
  const more = rows.flatMap((row) => (typeof row === 'string' ? [] : Object.keys(row)));
  const columns = [...new Set([...Object.keys(CELLS), ...more])];
  const lines = rows.map((row) =>
    typeof row === 'string' ? row : columns.map((name) => ({ ...CELLS, ...row })[name] ?? '').join(','),
  );
  return [columns.join(','), ...lines].map((line) => `${line}\r\n`).join('');
}

/** A row of NDJSON. A text is a line as it is. */
export function ndjson(...rows: readonly unknown[]): string {
  const lines = rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row)));
  return lines.map((line) => `${line}\n`).join('');
}

export interface ImportOptions {
  readonly query?: string;
  readonly type?: string;
  readonly key?: string;
}

interface Refusal {
  readonly findings: readonly { readonly line: number; readonly field: string | null }[];
}

/** An account with a property, which imports files. */
export class Host {
  private constructor(
    readonly account: Account,
    readonly property: number,
  ) {}

  static async at(service: Service, role: 'USER' | 'ADMIN' = 'USER'): Promise<Host> {
    const account = await service.account(role);
    return new Host(account, (await createProperty(account)).id);
  }

  send(file: string | Buffer, { query = '', type = CSV, key }: ImportOptions = {}): Promise<HttpResponse> {
    const body = typeof file === 'string' ? file.replaceAll(String(PROPERTY), String(this.property)) : file;
    const headers = { 'content-type': type, ...(key === undefined ? {} : { 'idempotency-key': key }) };
    return this.account.send('POST', `${IMPORT}?${query}`, { body, headers });
  }

  /** The response of an import that is not refused. */
  async imported(file: string, options?: ImportOptions): Promise<Record<string, unknown>> {
    const response = await this.send(file, options);
    if (response.status !== 200) throw new Error(`not imported: ${response.status} ${response.text}`);
    return bodyOf(response);
  }

  async refused(file: string, options?: ImportOptions): Promise<Refusal> {
    return expectProblem(await this.send(file, options), 'import-refused') as unknown as Refusal;
  }

  async count(): Promise<number> {
    return pageOf(await this.account.get('/api/transactions')).totalElements;
  }

  /** Every transaction in the order of the ids; each number as its digits. */
  async rows(): Promise<Record<string, unknown>[]> {
    const { text } = await this.account.post(EXPORT, { sortBy: 'id' }, { accept: NDJSON });
    const lines = text.split('\n').slice(0, -1);
    return lines.map((line) => parse(line, undefined, (digits) => digits) as Record<string, unknown>);
  }
}

/** The fields of a row of NDJSON. */
export const ROW = { ...CELLS, amount: 12.5 };
