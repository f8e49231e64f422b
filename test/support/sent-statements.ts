import pg from 'pg';
import { opened } from './opened.js';

/** A statement as it went to PostgreSQL. */
export interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

const DECLARATION = /^DECLARE \w+ NO SCROLL CURSOR FOR /;

/** Records the statements that are sent to PostgreSQL, which do run, until the test is over. */
export function watchStatements() {
  const query = jest.spyOn(pg.Client.prototype, 'query');
  opened(() => query.mockRestore());
  return {
    /** Since the last clear, on all connections; in place of a cursor's declaration its query. */
    all: (): SentStatement[] =>
      (query.mock.calls as unknown[][]).map((call) => {
        const [statement, values = []] = call as [string | Partial<SentStatement>, unknown[]?];
        const sent = { values, ...(typeof statement === 'string' ? { text: statement } : statement) };
        return { ...sent, text: (sent.text ?? '').replace(DECLARATION, '') };
      }),
    clear: () => query.mockClear(),
  };
}
