import { Readable } from 'node:stream';

/**
 * JSON text that goes out as it is. PostgreSQL writes most answers, so that numeric and bigint keep every
 * digit: JavaScript's numbers end at 2^53, and Node 20 has no JSON.rawJSON.
 */
export class JsonText {
  constructor(readonly text: string) {}
}

/** An object, of which some members are JSON text already. */
export function jsonObject(members: Readonly<Record<string, unknown>>): JsonText {
  const texts = Object.entries(members).map(([name, value]) => `"${name}":${serializeJson(value)}`);
  return new JsonText(`{${texts.join(',')}}`);
}

/** Fastify's reply serializer. A stream is not for it to touch. */
export function serializeJson(payload: unknown): string {
  if (payload instanceof Readable) return payload as unknown as string;
  return payload instanceof JsonText ? payload.text : JSON.stringify(payload);
}
