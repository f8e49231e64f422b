import { opened } from './opened.js';

/** Moves `performance.now()` on by milliseconds, until the end of the test. Timers do not follow. */
export function clock(): (milliseconds: number) => void {
  const now = performance.now.bind(performance);
  let ahead = 0;
  const mock = jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
  opened(() => mock.mockRestore());
  return (milliseconds) => void (ahead += milliseconds);
}
