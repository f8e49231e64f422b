import { closeAllBut, openNow } from './opened.js';

/** Jest runs this before each test file: no test leaves anything running, whether it passes or fails. */

let before: ReadonlySet<unknown> = new Set();

beforeEach(() => void (before = openNow()));
afterEach(() => closeAllBut(before));
afterAll(async () => {
  await closeAllBut(new Set());
  jest.restoreAllMocks(); // packages outlive their test file
});
