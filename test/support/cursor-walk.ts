import { idsOf, pageOf } from './answers.js';
import type { Answer, Client } from './client.js';

/** The target of the next page, from the Link of a page. */
export function nextOf({ headers }: Pick<Answer, 'headers'>): string | undefined {
  const link = headers.get('link');
  return link === null ? undefined : /^<([^>]+)>; rel="next"$/.exec(link)?.[1];
}

export function cursorIn(target: string | undefined): string {
  return new URL(target ?? '', 'http://any').searchParams.get('cursor') ?? '';
}

/** A page and all that follow by their links; with a body, of a search. */
export async function* pagesFrom(client: Client, target: string, body?: unknown): AsyncGenerator<Answer> {
  for (let next: string | undefined = target; next !== undefined;) {
    const answer: Answer = await (body === undefined ? client.get(next) : client.post(next, body));
    if (pageOf(answer).last === (nextOf(answer) !== undefined))
      throw new Error(`a link on the last page, or none on another: ${next}`);
    yield answer;
    next = nextOf(answer);
  }
}

/** The ids on these pages. */
export async function walk(client: Client, target: string, body?: unknown): Promise<number[]> {
  const ids: number[] = [];
  for await (const answer of pagesFrom(client, target, body)) ids.push(...idsOf(answer));
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
