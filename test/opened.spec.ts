import { closeAllBut, opened, openNow } from './support/opened.js';

describe('what a test has opened', () => {
  const closed: string[] = [];
  const note = (name: string) => (): void => void closed.push(name);

  beforeEach(() => (closed.length = 0));

  it('is closed behind it, the latest first, and what was there before stays', async () => {
    const service = opened(note('service of the file'));
    const before = openNow();
    opened(note('service'));
    opened(note('lock'));
    await closeAllBut(before);
    expect(closed).toEqual(['lock', 'service']);
    await service();
  });

  it('is closed once', async () => {
    const close = opened(note('lock'));
    await close();
    await close();
    await closeAllBut(new Set());
    expect(closed).toEqual(['lock']);
  });

  it('is closed when something else cannot be', async () => {
    opened(note('service'));
    opened(() => Promise.reject(new Error('no')));
    opened(() => {
      throw new Error('never');
    });
    await expect(closeAllBut(new Set())).rejects.toThrow('not everything could be closed');
    expect(closed).toEqual(['service']);
  });
});
