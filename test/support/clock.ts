/** Moves `performance.now()` on by milliseconds, until the end of the test. Timers do not follow. */
export function clock(): (milliseconds: number) => void {
  const now = performance.now.bind(performance);
  let ahead = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
  return (milliseconds) => void (ahead += milliseconds);
}
