import { idsOf, pageOf } from './responses.js';
import type { HttpResponse, Client } from './client.js';

/** The target of the next page, from the Link of a page. */
export function nextOf({ headers }: Pick<HttpResponse, 'headers'>): string | undefined {
  const link = headers.get('link');
  return link === null ? undefined : /^<([^>]+)>; rel="next"$/.exec(link)?.[1];
}

export function cursorIn(target: string | undefined): string {
  return new URL(target ?? '', 'http://any').searchParams.get('cursor') ?? '';
}

/** A page and all that follow by their links; with a body, of a search. */
export async function* pagesFrom(
  client: Client,
  target: string,
  body?: unknown,
): AsyncGenerator<HttpResponse> {
  for (let next: string | undefined = target; next !== undefined;) {
    const response: HttpResponse = await (body === undefined ? client.get(next) : client.post(next, body));
    if (pageOf(response).last === (nextOf(response) !== undefined))
      throw new Error(`a link on the last page, or none on another: ${next}`);
    yield response;
    next = nextOf(response);
  }
}

/** The ids on these pages. */
export async function walk(client: Client, target: string, body?: unknown): Promise<number[]> {
  const ids: number[] = [];
  for await (const response of pagesFrom(client, target, body)) ids.push(...idsOf(response));
  return ids;
}

/** The ids in an exported file, in its order; with a body, of a search. */
export async function exportedIds(client: Client, target: string, body?: unknown): Promise<number[]> {
  const headers = { accept: 'application/x-ndjson' };
  const { text } = await (body === undefined
    ? client.get(target, headers)
    : client.post(target, body, headers));
  const lines = text.split('\n').filter(Boolean);
  return lines.map((line) => (JSON.parse(line) as { id: number }).id);
}
