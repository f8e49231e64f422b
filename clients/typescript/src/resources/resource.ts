import { isProblem, UnexpectedResponseError } from '../errors.js';
import type { Int64Input } from '../exact-types.js';
import { type Result, dataOf, unwrap } from '../unwrap.js';

/** A resource as it was read or written, with the ETag of that version. */
export interface Versioned<Data> {
  readonly data: Data;
  readonly etag: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface CreateOptions extends CallOptions {
  /** Requests with the same key write once; a new UUID by default. Give one of your own to repeat a call, even tomorrow. */
  readonly idempotencyKey?: string;
}

export interface WriteOptions extends CallOptions {
  /** The ETag that was read: the write happens only while the resource still has it. */
  readonly ifMatch?: string;
}

export interface UpdateOptions extends CallOptions {
  /** How often it is read and written at most while others write, too; 5 by default. */
  readonly tries?: number;
}

interface Path {
  id: Int64Input;
}

interface Header {
  'If-Match'?: string;
}

/** The operations of one kind of resource. */
export interface Operations<Data, Body> {
  get(path: Path, signal?: AbortSignal): Promise<Result<Data>>;
  post(header: { 'Idempotency-Key': string }, body: Body, signal?: AbortSignal): Promise<Result<Data>>;
  put(path: Path, header: Header, body: Body, signal?: AbortSignal): Promise<Result<Data>>;
  delete(path: Path, header: Header, signal?: AbortSignal): Promise<Result<unknown>>;
}

/** The operations on single resources of one kind. */
export class Resource<Data, Body> {
  constructor(private readonly operations: Operations<Data, Body>) {}

  get(id: Int64Input, { signal }: CallOptions = {}): Promise<Versioned<Data>> {
    return versioned(this.operations.get({ id }, signal));
  }

  /** Repeated like a read when no response comes: the service recognises its key. */
  create(
    body: Body,
    { signal, idempotencyKey = crypto.randomUUID() }: CreateOptions = {},
  ): Promise<Versioned<Data>> {
    return versioned(this.operations.post({ 'Idempotency-Key': idempotencyKey }, body, signal));
  }

  /** Writes all fields: those left out of the request take their defaults. */
  replace(id: Int64Input, body: Body, { ifMatch, signal }: WriteOptions = {}): Promise<Versioned<Data>> {
    return versioned(this.operations.put({ id }, condition(ifMatch), body, signal));
  }

  /**
   * Reads the resource, applies `change` and writes it, unless it was changed in between: then it is read and changed
   * again. A write without a response ends the tries, because the change may have been made.
   */
  async update(
    id: Int64Input,
    change: (current: Data) => Body | Promise<Body>,
    { signal, tries = 5 }: UpdateOptions = {},
  ): Promise<Versioned<Data>> {
    for (let count = 1; ; count += 1) {
      const { data, etag } = await this.get(id, { signal });
      const body = await change(data);
      try {
        return await this.replace(id, body, { ifMatch: etag, signal });
      } catch (error) {
        if (count >= tries || !isProblem(error, 'concurrent-modification')) throw error;
      }
    }
  }

  async delete(id: Int64Input, { ifMatch, signal }: WriteOptions = {}): Promise<void> {
    await unwrap(this.operations.delete({ id }, condition(ifMatch), signal));
  }
}

function condition(ifMatch: string | undefined): Header {
  return ifMatch === undefined ? {} : { 'If-Match': ifMatch };
}

async function versioned<Data>(call: Promise<Result<Data>>): Promise<Versioned<Data>> {
  const result = await call;
  const data = dataOf(result);
  const etag = result.response.headers.get('etag');
  if (etag === null) throw new UnexpectedResponseError(result.response, 'The ETag is missing.');
  return { data, etag };
}
