import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** A request as a part of its caller's trace, for the log. */
export interface Trace {
  readonly traceId: string;
  /** Of this request, made here. */
  readonly spanId: string;
}

/** W3C Trace Context, level 1, section 3.2: version, trace-id, parent-id, flags; later versions may go on. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(-[^,]*)?$/;

const TRACES = new WeakMap<IncomingMessage, Trace | undefined>();

/** The trace that `traceparent` names. One that is malformed, or sent twice, counts as none. */
export function traceOf(request: IncomingMessage): Trace | undefined {
  const given = request.headers['traceparent'];
  if (typeof given !== 'string') return undefined;
  if (!TRACES.has(request)) TRACES.set(request, read(given));
  return TRACES.get(request);
}

function read(given: string): Trace | undefined {
  const [, version, traceId, more] = TRACEPARENT.exec(given) ?? [];
  if (traceId === undefined || (version === '00' && more !== undefined)) return undefined;
  return { traceId, spanId: randomBytes(8).toString('hex') };
}
