import { Readable } from 'node:stream';
import { nextTurn } from '../concurrency/turns.js';

/**
 * JSON text that is sent unchanged. PostgreSQL writes most responses, so that numeric and bigint keep every digit:
 * JavaScript's numbers end at 2^53, and Node 20 has no JSON.rawJSON.
 */
export class JsonText {
  constructor(readonly text: string) {}
}

/** Text whose parts are made as its client takes them, one of all streams in a turn. */
export class JsonParts extends JsonText {
  private constructor(readonly stream: Readable) {
    super('');
  }

  /** Resolves once the first part is there: a failure before it is answered by a problem document. */
  static async of(parts: AsyncGenerator<string, void>): Promise<JsonParts> {
    let part = await parts.next(); // the first, which is not held for as long as the others take
    async function* all(): AsyncGenerator<string, void> {
      for (; part.done !== true; part = await parts.next()) {
        yield part.value;
        await nextTurn();
      }
    }
    const stream = Readable.from(all(), { objectMode: false, highWaterMark: 0 });
    return new JsonParts(stream.once('close', () => void parts.return().catch(() => undefined)));
  }
}

/** An object, of which some members are JSON text already. */
export function jsonObject(members: Readonly<Record<string, unknown>>): JsonText {
  const texts = Object.entries(members).map(([name, value]) => `"${name}":${serializeJson(value)}`);
  return new JsonText(`{${texts.join(',')}}`);
}

/** Fastify's reply serializer, which may give it a stream, too. */
export function serializeReply(payload: unknown): string {
  return payload instanceof JsonParts ? (payload.stream as unknown as string) : serializeJson(payload);
}

function serializeJson(payload: unknown): string {
  return payload instanceof JsonText ? payload.text : JSON.stringify(payload);
}
