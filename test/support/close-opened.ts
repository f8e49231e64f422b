import { cleanup } from './opened.js';

/** Hooks for each test file: no test leaves anything running or replaced, whether it passes or fails. */

let before = cleanup.deferred;

beforeEach(() => void (before = cleanup.deferred));
afterEach(async () => {
  jest.useRealTimers();
  await cleanup.run(before);
  jest.restoreAllMocks();
});
afterAll(() => cleanup.run());
