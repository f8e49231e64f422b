import type { Client } from 'openapi-fetch';
import type { Int64Input } from '../exact-types.js';
import { asFile, type ExportOptions, fileOf, MEDIA_TYPES } from '../files.js';
import type {
  DuplicateKey,
  DuplicateRule,
  ImportMode,
  ImportResponse,
  paths,
  PropertyBy,
  TransactionChanges,
  TransactionRequest,
  TransactionResponse,
  TransactionSearchRequest,
  TransactionSummary,
} from '../generated/schema.js';
import { type ChangesOptions, elementsOf, type ListOptions } from '../pages.js';
import { unwrap } from '../unwrap.js';
import { type CallOptions, type CreateOptions, Resource } from './resource.js';

/** The filters and the order of a search. */
export type TransactionSearch = Omit<TransactionSearchRequest, 'page' | 'cursor'>;

/** Read to its end before it is sent: the service takes files up to its `IMPORT_BODY_LIMIT` only. */
export type ImportFile = string | Blob | Uint8Array | ReadableStream<Uint8Array>;

export interface ImportOptions extends CreateOptions {
  /** `csv` by default. Of `ndjson` each line is the JSON of a row. */
  readonly format?: keyof typeof MEDIA_TYPES;
  /** Whether rows are new, or replace the fields of the transactions with their `id` and `version`. */
  readonly mode?: ImportMode;
  /** Whether a row without a `propertyId` may name its property. */
  readonly property?: PropertyBy;
  /** Reports the same, and stores nothing. */
  readonly dryRun?: boolean;
  /** A file with duplicates is refused unless they are to be skipped or allowed. */
  readonly duplicates?: DuplicateRule;
  /** What makes a row a duplicate: its content, or its payment reference alone. */
  readonly by?: DuplicateKey;
  /** Whether the response names the transaction of each row. */
  readonly lines?: boolean;
}

/** The transactions of the caller. */
export class Transactions extends Resource<TransactionResponse, TransactionRequest> {
  constructor(private readonly api: Client<paths>) {
    super({
      get: (path, signal) => api.GET('/api/transactions/{id}', { params: { path }, signal }),
      post: (header, body, signal) => api.POST('/api/transactions', { params: { header }, body, signal }),
      put: (path, header, body, signal) =>
        api.PUT('/api/transactions/{id}', { params: { path, header }, body, signal }),
      delete: (path, header, signal) =>
        api.DELETE('/api/transactions/{id}', { params: { path, header }, signal }),
    });
  }

  /** Up to 100 at once, all or none. Repeated like a read when no response comes: the service recognises its key. */
  async createMany(
    transactions: readonly TransactionRequest[],
    { signal, idempotencyKey = crypto.randomUUID() }: CreateOptions = {},
  ): Promise<readonly TransactionResponse[]> {
    const params = { header: { 'Idempotency-Key': idempotencyKey } };
    const body = { transactions: [...transactions] };
    const response = await unwrap(this.api.POST('/api/transactions/batch', { params, body, signal }));
    return response.transactions;
  }

  /**
   * All rows of a file or none. The faults are in the `findings` of the problem `import-refused`. Repeated like a read
   * when no response comes.
   */
  async import(
    file: ImportFile,
    { format = 'csv', signal, idempotencyKey = crypto.randomUUID(), ...query }: ImportOptions = {},
  ): Promise<ImportResponse> {
    const params = { query, header: { 'Idempotency-Key': idempotencyKey } };
    const headers = { 'content-type': MEDIA_TYPES[format] };
    // A stream can be sent once only, and by browsers not at all.
    const body = file instanceof ReadableStream ? await new Response(file).blob() : file;
    const request = { params, body: '', headers, bodySerializer: () => body, signal };
    return unwrap(this.api.POST('/api/transactions/import', request));
  }

  /** Every transaction, page by page. */
  all({ size = 100, sort = ['id'], signal }: ListOptions = {}): AsyncIterable<TransactionSummary> {
    return elementsOf((cursor) => {
      const query = { cursor, size, sort: [...sort] };
      return this.api.GET('/api/transactions', { params: { query }, signal });
    });
  }

  /** Every transaction of one property, page by page. */
  ofProperty(
    propertyId: Int64Input,
    { size = 100, sort = ['id'], signal }: ListOptions = {},
  ): AsyncIterable<TransactionSummary> {
    return elementsOf((cursor) => {
      const params = { path: { propertyId }, query: { cursor, size, sort: [...sort] } };
      return this.api.GET('/api/transactions/property/{propertyId}', { params, signal });
    });
  }

  /** Every transaction that is found, page by page; by id unless `sortBy` names another field. */
  search(search: TransactionSearch = {}, { signal }: CallOptions = {}): AsyncIterable<TransactionSummary> {
    return elementsOf((cursor) => {
      const body = { size: 100, sortBy: 'id' as const, ...search };
      return this.api.POST('/api/transactions/search', { params: { query: { cursor } }, body, signal });
    });
  }

  /**
   * Every transaction of the search, with all its fields, as a stream. Reading it rejects with a NoResponseError when it
   * breaks off.
   */
  export(
    search: Omit<TransactionSearch, 'size'> = {},
    options: ExportOptions = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const params = { query: { bom: options.bom } };
    return fileOf(this.api.POST('/api/transactions/export', { params, body: search, ...asFile(options) }));
  }

  /** What was written or deleted since the cursor, oldest first. Keep its `next`; an empty page is the last for now. */
  changes({ signal, ...query }: ChangesOptions = {}): Promise<TransactionChanges> {
    return unwrap(this.api.GET('/api/transactions/changes', { params: { query }, signal }));
  }
}
