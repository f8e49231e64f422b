import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { ProblemError } from '../common/problems/problem.js';
import { bodyLength } from './headers.js';

/** Node's parser of a connection, which its types lack. */
export interface Parser {
  /** Takes a head. When it returns 2, the parser leaves the rest alone, as after a change of protocol. */
  onIncoming: (request: IncomingMessage & { upgrade: boolean }, keepAlive: boolean) => number | undefined;
  readonly incoming: IncomingMessage & { readonly socket: Socket & { readonly server: Server } };
  /** Fields that have been read of a head of more than 32, by its callback: names and values. */
  readonly _headers: readonly string[];
  readonly maxHeaderPairs: number; // 0: no bound
  readonly constructor: Readonly<
    Record<'kOnHeaders' | 'kOnBody' | 'kOnMessageComplete' | 'kOnExecute', number>
  >;
  [callback: number]: unknown;
}

type Callback = (this: Parser, ...values: unknown[]) => unknown;

/** Chunks of a body, and bytes for which it may have one more. Node calls back for each: 64 KiB can hold 11,000. */
const MOST_CHUNKS = 1000;
const BYTES_A_CHUNK = 64;
const TOO_MANY = new ProblemError(
  'payload-too-large',
  `The body has more than ${MOST_CHUNKS} chunks plus one for each ${BYTES_A_CHUNK} bytes.`,
);

/**
 * Passes on the chunks of a body that are read at once as one. Of each, which may be a single byte, Node makes a buffer of
 * its own: what it reads ahead of a body would be a hundred times as long in memory. A body of too many is an error of the
 * client, and never ends.
 */
export function boundChunks(socket: Socket, parser: Parser): void {
  const { kOnBody, kOnExecute, kOnMessageComplete } = parser.constructor;
  const [take, end] = [parser[kOnBody] as Callback, parser[kOnMessageComplete] as Callback];
  const executed = parser[kOnExecute] as Callback;
  const parts: Buffer[] = [];
  let [left, isRefused] = [MOST_CHUNKS, false];
  const add = (part: Buffer): void => {
    parts.push(part);
    left += part.length / BYTES_A_CHUNK - 1;
    const { incoming } = parser;
    isRefused ||= left < 0 && bodyLength(incoming) === Infinity; // not of a length, packet by packet
    if (!isRefused) return;
    parts.length = 0;
    parser[kOnBody] = undefined; // Node calls nobody for the rest of what it has read
    socket.pause(); // until it has been refused
    incoming.socket.server.emit('clientError', TOO_MANY, socket);
  };
  const pass = (): void => {
    if (parts.length === 0) return;
    const all = parts.splice(0);
    take.call(parser, all.length === 1 ? all[0] : Buffer.concat(all));
  };
  parser[kOnBody] = add;
  parser[kOnMessageComplete] = () => {
    if (isRefused) return; // not a whole body
    pass();
    left = MOST_CHUNKS;
    return end.call(parser);
  };
  parser[kOnExecute] = (result: unknown) => {
    pass();
    parser[kOnBody] = add;
    return executed.call(parser, result);
  };
  // The parser outlives the connection, and one of Node's clients may have it next.
  socket.once('close', () => Object.assign(parser, { [kOnBody]: take, [kOnMessageComplete]: end }));
}
