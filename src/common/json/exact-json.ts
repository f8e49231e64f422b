import { Readable } from 'node:stream';
import { nextTurn } from '../concurrency/turns.js';

/**
 * JSON text that is sent unchanged. PostgreSQL writes most responses, so that numeric and bigint keep every digit:
 * JavaScript's numbers end at 2^53, and Node 20 has no JSON.rawJSON.
 */
export class JsonText {
  constructor(readonly text: string) {}
}

/** The parts of a text, and the texts around them. */
export interface Parts {
  readonly head?: string;
  readonly parts: AsyncGenerator<Buffer, void>;
  readonly tail?: string;
  /** Bytes of the longest part at most; 0 where its maker has made room for them. */
  readonly longest: number;
}

/** Text in parts. Each is made once its client has taken the one before, one of all streams in a turn. */
export class JsonParts extends Readable {
  private constructor(
    readonly source: Parts,
    first: unknown,
  ) {
    super({ highWaterMark: 0 });
    for (const part of [source.head ?? '', first ?? '']) this.push(part);
  }

  /** Resolves once the first part is there: a failure before it is answered by a problem document. */
  static async of(source: Parts): Promise<JsonParts> {
    const first = await source.parts.next();
    return new JsonParts(source, first.value);
  }

  override _read(): void {
    this.makeNext().catch((error: unknown) => this.destroy(error as Error));
  }

  private async makeNext(): Promise<void> {
    await nextTurn();
    const { value, done } = await this.source.parts.next();
    this.push(value ?? this.source.tail ?? '');
    if (done === true) this.push(null);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    void this.source.parts.return().catch(() => undefined);
    done(error);
  }
}

/** An object, of which some members are JSON text already. */
export function jsonObject(members: Readonly<Record<string, unknown>>): JsonText {
  const texts = Object.entries(members).map(([name, value]) => `"${name}":${serializeReply(value)}`);
  return new JsonText(`{${texts.join(',')}}`);
}

/** Fastify's reply serializer, which may give it a stream, too. */
export function serializeReply(payload: unknown): string {
  if (payload instanceof JsonParts) return payload as unknown as string;
  return payload instanceof JsonText ? payload.text : JSON.stringify(payload);
}
