import { cleanup } from './opened.js';

/** Hooks for each test file: no test leaves anything running or replaced, whether it passes or fails. */

Error.stackTraceLimit = 25; // in place of Jest's 100: each call of expect() makes an error

let before = cleanup.deferred;

beforeEach(() => void (before = cleanup.deferred));
afterEach(async () => {
  jest.useRealTimers();
  await cleanup.run(before);
  jest.restoreAllMocks();
});
afterAll(() => cleanup.run());
