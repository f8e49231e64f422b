import { withCaller } from '../../faults/support/http.js';
import { parseExposition } from '../../support/exposition.js';

/** What the service itself has counted since its start. */
export interface Answers {
  readonly all: number;
  readonly serverErrors: number;
}

export async function countedAnswers(url: string, token: string): Promise<Answers> {
  const { text } = await withCaller(url, (caller) => caller.get('/actuator/prometheus', token));
  const samples = parseExposition(text).get('http_server_requests_seconds')?.samples ?? [];
  const counts = samples.filter(({ name }) => name.endsWith('_count'));
  const failed = counts.filter(({ labels }) => labels['outcome'] === 'SERVER_ERROR');
  const sum = (some: typeof counts): number => some.reduce((total, { value }) => total + value, 0);
  return { all: sum(counts), serverErrors: sum(failed) };
}
