import {
  createClient,
  isProblem,
  NoResponseError,
  ProblemError,
  type PropertyFinanceClient,
  type PropertyResponse,
  type TransactionRequest,
  UnexpectedResponseError,
} from '../../../typescript/src/public.js';
import { encodeBody } from '../../../typescript/src/exact-json.js';
import { type LineFault, Refusal } from '../faults.js';
import { folded } from '../reading/table.js';

/** A transaction of a line of the bank's file. */
export interface Row {
  readonly line: number;
  readonly request: TransactionRequest;
}

export interface StoredRow {
  readonly reference: string;
  /** Undefined where a dry run would create it. */
  readonly id: string | undefined;
  readonly created: boolean;
}

/** Lines that the service refuses. */
export class Refused extends Error {
  constructor(readonly faults: readonly LineFault[]) {
    super();
  }
}

/** The service, as one account. */
export class Ledger {
  readonly client: PropertyFinanceClient;

  constructor(baseUrl: string, username: string, password: string) {
    this.client = createClient({ baseUrl, credentials: { username, password }, timeout: 120_000 });
  }

  /** Finds a property's id by its name, or takes an id as it is; or says why there is none. */
  async propertyIds(): Promise<(wanted: string | undefined) => string | { readonly message: string }> {
    const properties: Pick<PropertyResponse, 'id' | 'name'>[] = [];
    for await (const property of this.client.properties.all()) properties.push(property);
    return (wanted) => {
      if (wanted === undefined) return { message: 'neither the rules nor --property name the property' };
      const found = properties.filter(({ id, name }) => id === wanted || folded(name) === wanted);
      const count = found.length === 0 ? 'is no property' : 'are several properties';
      return found.length === 1 && found[0] ? found[0].id : { message: `there ${count} "${wanted}"` };
    };
  }

  /** Stores all rows or none, but for those whose reference is there already. Throws Refused. */
  async store(rows: readonly Row[], dryRun: boolean): Promise<StoredRow[]> {
    if (rows.length === 0) return [];
    const body = rows.map(({ request }) => `${encodeBody(request) ?? ''}\n`).join('');
    const options = { format: 'ndjson', duplicates: 'skip', by: 'reference', lines: true, dryRun } as const;
    try {
      const { lines = [] } = await this.client.transactions.import(body, options);
      return lines.map(({ id, created }, index) => {
        return { reference: rows[index]?.request.paymentReference ?? '', id: id ?? undefined, created };
      });
    } catch (error) {
      if (!isProblem(error, 'import-refused')) throw error;
      const faults = error.problem.findings.map(({ line, field, reason }) => {
        return { line: rows[line - 1]?.line ?? 0, message: [field, reason].filter(Boolean).join(' ') };
      });
      throw new Refused(faults);
    }
  }

  /** Whether it is deleted; false when somebody has changed it since it was stored. */
  async remove(id: string): Promise<boolean> {
    try {
      await this.client.transactions.delete(id, { ifMatch: '"1"' });
      return true;
    } catch (error) {
      if (isProblem(error, 'not-found')) return true;
      if (isProblem(error, 'concurrent-modification')) return false;
      throw error;
    }
  }
}

/** Whether the service is not there, or refuses. */
export function isServiceFailure(error: unknown): error is Error {
  return [ProblemError, UnexpectedResponseError, NoResponseError].some((type) => error instanceof type);
}

export function checkUrl(url: string): string {
  if (/^https?:/.test(url) && URL.canParse(url)) return url;
  throw new Refusal(`--url: "${url}" is not an HTTP address`, 2);
}
