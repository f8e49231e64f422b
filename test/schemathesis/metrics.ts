import { Caller } from '../faults/support/http.js';
import { parseExposition } from '../support/exposition.js';

/** What the service itself has counted since its start. */
export interface Answers {
  readonly all: number;
  readonly serverErrors: number;
}

export async function countedAnswers(url: string, token: string): Promise<Answers> {
  const caller = new Caller(url);
  const { text } = await caller.send({ method: 'GET', path: '/actuator/prometheus', token });
  caller.close();
  const samples = parseExposition(text).get('http_server_requests_seconds')?.samples ?? [];
  const counts = samples.filter(({ name }) => name.endsWith('_count'));
  return {
    all: sum(counts.map(({ value }) => value)),
    serverErrors: sum(
      counts.filter(({ labels }) => labels['outcome'] === 'SERVER_ERROR').map(({ value }) => value),
    ),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
