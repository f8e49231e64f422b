import { UnexpectedResponseError } from './errors.js';
import type { CallOptions } from './resources/resource.js';
import type { Result } from './unwrap.js';
import { dataOf } from './unwrap.js';

export const MEDIA_TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

export interface ExportOptions extends CallOptions {
  /** `csv` by default. Of `ndjson` each line is the JSON of a row. */
  readonly format?: keyof typeof MEDIA_TYPES;
  /** Whether CSV begins with a byte order mark, by which some spreadsheets know UTF-8. */
  readonly bom?: boolean;
}

/** The options of a request for a file. */
export function asFile({ format = 'csv', signal }: ExportOptions): {
  readonly headers: { readonly accept: string };
  readonly parseAs: 'stream';
  readonly signal: AbortSignal | undefined;
} {
  return { headers: { accept: MEDIA_TYPES[format] }, parseAs: 'stream', signal };
}

/** Whether the response is streamed, because it may be larger than memory. */
export function isFile({ ok, headers }: Response): boolean {
  const [mediaType] = (headers.get('content-type') ?? '').split(';');
  return ok && Object.values<string>(MEDIA_TYPES).includes(mediaType ?? '');
}

/** The bytes of a file. Throws as {@link dataOf} does. */
export async function fileOf(
  call: Promise<Result<ReadableStream<Uint8Array> | null>>,
): Promise<ReadableStream<Uint8Array>> {
  const result = await call;
  const body = dataOf(result);
  if (body !== null && isFile(result.response)) return body;
  throw new UnexpectedResponseError(result.response, body ? await new Response(body).text() : '');
}
