import pg from 'pg';

export interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

const DECLARATION = /^DECLARE \w+ NO SCROLL CURSOR FOR /;

/** What each minute does, between any two statements of a test on a slow machine. */
const OF_CLEANING = /^\s*DELETE FROM (deletions|idempotency_keys) /;

/** Records the statements sent to PostgreSQL until the end of the test, by default without the cleaning of each minute. */
export function watchStatements({ withCleaning = false } = {}) {
  const query = jest.spyOn(pg.Client.prototype, 'query');
  return {
    /** Since the last clear, on all connections; with a cursor's query for its declaration. */
    all: (): SentStatement[] =>
      (query.mock.calls as unknown[][])
        .map((call) => {
          const [statement, values = []] = call as [string | Partial<SentStatement>, unknown[]?];
          const sent = { values, ...(typeof statement === 'string' ? { text: statement } : statement) };
          return { ...sent, text: (sent.text ?? '').replace(DECLARATION, '') };
        })
        .filter(({ text }) => withCleaning || !OF_CLEANING.test(text)),
    clear: () => query.mockClear(),
  };
}
