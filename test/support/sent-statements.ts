import pg from 'pg';
import type { SentStatement } from './owner-predicates.js';

export interface SentStatements {
  /** Those since the last {@link clear}, on all connections. */
  all(): SentStatement[];
  clear(): void;
  stop(): void;
}

/** Looks on at what is sent to PostgreSQL: the statements do run. */
export function watchStatements(): SentStatements {
  const query = jest.spyOn(pg.Client.prototype, 'query');
  return {
    all: () =>
      (query.mock.calls as unknown[][]).map((call) => {
        const [statement, values = []] = call as [string | Partial<SentStatement>, unknown[]?];
        return typeof statement === 'string'
          ? { text: statement, values }
          : { text: '', values, ...statement };
      }),
    clear: () => query.mockClear(),
    stop: () => query.mockRestore(),
  };
}
