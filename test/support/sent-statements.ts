import pg from 'pg';
import { opened } from './opened.js';

export interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

const DECLARATION = /^DECLARE \w+ NO SCROLL CURSOR FOR /;

/** Records the statements sent to PostgreSQL until the end of the test. */
export function watchStatements() {
  const query = jest.spyOn(pg.Client.prototype, 'query');
  opened(() => query.mockRestore());
  return {
    /** Since the last clear, on all connections; with a cursor's query for its declaration. */
    all: (): SentStatement[] =>
      (query.mock.calls as unknown[][]).map((call) => {
        const [statement, values = []] = call as [string | Partial<SentStatement>, unknown[]?];
        const sent = { values, ...(typeof statement === 'string' ? { text: statement } : statement) };
        return { ...sent, text: (sent.text ?? '').replace(DECLARATION, '') };
      }),
    clear: () => query.mockClear(),
  };
}
