/**
 * JSON text that goes out as it is. PostgreSQL writes most answers, so that numeric and bigint keep every
 * digit: JavaScript's numbers end at 2^53, and Node 20 has no JSON.rawJSON.
 */
export class JsonText {
  constructor(readonly text: string) {}
}

/** Fastify's reply serializer. */
export function serializeJson(payload: unknown): string {
  return payload instanceof JsonText ? payload.text : JSON.stringify(payload);
}
