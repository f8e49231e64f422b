import pg from 'pg';
import { opened } from './opened.js';
import type { SentStatement } from './owner-predicates.js';

export interface SentStatements {
  /** Of a cursor the query that it is for. Those since the last {@link clear}, on all connections. */
  all(): SentStatement[];
  clear(): void;
}

const DECLARATION = /^DECLARE \w+ NO SCROLL CURSOR FOR /;

/** Looks on at what is sent to PostgreSQL until the test is over: the statements do run. */
export function watchStatements(): SentStatements {
  const query = jest.spyOn(pg.Client.prototype, 'query');
  opened(() => query.mockRestore());
  return {
    all: () =>
      (query.mock.calls as unknown[][]).map((call) => {
        const [statement, values = []] = call as [string | Partial<SentStatement>, unknown[]?];
        return typeof statement === 'string'
          ? { text: statement.replace(DECLARATION, ''), values }
          : { text: '', values, ...statement };
      }),
    clear: () => query.mockClear(),
  };
}
