import { cleanup } from './opened.js';

/** Hooks for each test file: no test leaves anything running, whether it passes or fails. */

let before = cleanup.deferred;

beforeEach(() => void (before = cleanup.deferred));
afterEach(() => cleanup.run(before));
afterAll(async () => {
  await cleanup.run();
  jest.restoreAllMocks(); // packages outlive their test file
});
