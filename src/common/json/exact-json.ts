/**
 * JSON text that is sent unchanged. PostgreSQL writes most responses, so that numeric and bigint keep every digit:
 * JavaScript's numbers end at 2^53, and Node 20 has no JSON.rawJSON.
 */
export class JsonText {
  constructor(readonly text: string) {}
}

/** An object, of which some members are JSON text already. */
export function jsonObject(members: Readonly<Record<string, unknown>>): JsonText {
  const texts = Object.entries(members).map(([name, value]) => `"${name}":${serializeJson(value)}`);
  return new JsonText(`{${texts.join(',')}}`);
}

/** Fastify's reply serializer. */
export function serializeJson(payload: unknown): string {
  return payload instanceof JsonText ? payload.text : JSON.stringify(payload);
}
