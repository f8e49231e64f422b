import type { IncomingMessage } from 'node:http';

/** Node's parser of a connection, which its types lack. */
export interface Parser {
  /** Takes a head. When it returns 2, the parser leaves the rest alone, as after a change of protocol. */
  onIncoming: (request: IncomingMessage & { upgrade: boolean }, keepAlive: boolean) => number | undefined;
  /** Fields that have been read of a head of more than 32, by its callback: names and values. */
  readonly _headers: readonly string[];
  readonly maxHeaderPairs: number;
  readonly constructor: Readonly<
    Record<'kOnHeaders' | 'kOnBody' | 'kOnMessageComplete' | 'kOnExecute', number>
  >;
  [callback: number]: unknown;
}

type Callback = (this: Parser, ...values: unknown[]) => unknown;
interface Chunks {
  readonly parts: Buffer[];
  readonly pass: () => void;
}

/** Parsers outlive their sockets. */
const CHUNKS = new WeakMap<Parser, Chunks>();
/** The callbacks behind each read of this server's connections. One of Node's clients, which may have the parser next, has another. */
const JOINING = new WeakSet<object>();

/**
 * Passes on the chunks of a body that are read at once as one. Of each, which may be a single byte, Node makes a buffer of
 * its own: what it reads ahead of a body would be a hundred times as long in memory.
 */
export function joinChunks(parser: Parser): void {
  const { kOnExecute } = parser.constructor;
  const { parts, pass } = CHUNKS.get(parser) ?? chunksOf(parser);
  parts.length = 0; // of a socket that was closed meanwhile
  const executed = parser[kOnExecute] as Callback;
  const join = (result: unknown): unknown => {
    pass();
    return executed.call(parser, result);
  };
  parser[kOnExecute] = join;
  JOINING.add(join);
}

/** Once for each parser. Its callbacks for bodies know no socket. */
function chunksOf(parser: Parser): Chunks {
  const { kOnBody, kOnExecute, kOnMessageComplete } = parser.constructor;
  const [take, end] = [parser[kOnBody] as Callback, parser[kOnMessageComplete] as Callback];
  const parts: Buffer[] = [];
  const pass = (): void => {
    if (parts.length === 0) return;
    const all = parts.splice(0);
    take.call(parser, all.length === 1 ? all[0] : Buffer.concat(all));
  };
  parser[kOnBody] = (part: Buffer) => {
    parts.push(part);
    if (!JOINING.has(parser[kOnExecute] as object)) pass();
  };
  parser[kOnMessageComplete] = () => {
    pass();
    return end.call(parser);
  };
  const chunks = { parts, pass };
  CHUNKS.set(parser, chunks);
  return chunks;
}
