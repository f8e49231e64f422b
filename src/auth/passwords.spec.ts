import bcrypt from 'bcrypt';
import { Registry } from 'prom-client';
import { parseExposition, valueOf } from '../../test/support/exposition.js';
import { hashAtFullCost } from '../../test/support/quick-hashes.js';
import { Passwords } from './passwords.js';

/** The overloads that the service uses. */
const hashing: {
  compare: (password: string, hash: string) => Promise<boolean>;
  hash: (password: string, cost: number) => Promise<string>;
} = bcrypt;

describe('Passwords', () => {
  const passwords = new Passwords({ passwords: { concurrency: 2, longestWait: 5000 } }, new Registry());

  afterEach(() => jest.restoreAllMocks());

  it('hashes with cost 10 and a salt of its own each time', async () => {
    hashAtFullCost();
    const [one, two] = await Promise.all([passwords.hash('the same'), passwords.hash('the same')]);
    for (const hash of [one, two]) {
      expect(hash).toMatch(/^\$2b\$10\$[./A-Za-z0-9]{53}$/);
      await expect(bcrypt.compare('the same', hash)).resolves.toBe(true);
    }
    expect(one.slice(0, 29)).not.toBe(two.slice(0, 29));
  });

  it('knows the password of a hash, and no other', async () => {
    const hash = await passwords.hash('é'.repeat(72));
    await expect(passwords.matches('é'.repeat(72), hash)).resolves.toBe(true);
    await expect(passwords.matches('é'.repeat(36), hash)).resolves.toBe(false);
  });

  it('says no where there is no hash, whatever the password, after the work of one', async () => {
    const compare = jest.spyOn(hashing, 'compare').mockResolvedValue(true);
    await expect(passwords.matches('any', undefined)).resolves.toBe(false);
    expect(compare).toHaveBeenCalledTimes(1);
    expect(bcrypt.getRounds(compare.mock.calls[0]![1])).toBe(10);
  });

  describe('gives bcrypt', () => {
    const given = async (password: string): Promise<string> => {
      const hash = jest.spyOn(hashing, 'hash').mockResolvedValue('');
      await passwords.hash(password);
      return hash.mock.calls[0]![0];
    };

    it.each([
      ['72 characters of one byte', 'p'.repeat(72)],
      ['36 characters of two bytes', 'é'.repeat(36)],
      ['18 characters of four bytes', '🏠'.repeat(18)],
    ])('%s as they are', async (_, password) => {
      expect(await given(password)).toBe(password);
    });

    it.each([
      ['73 characters of one byte', 'p'.repeat(73)],
      ['72 characters of 73 bytes', 'p'.repeat(71) + 'é'],
      ['37 characters of two bytes', 'é'.repeat(37)],
      ['72 characters of four bytes', '🏠'.repeat(72)],
    ])('%s as a digest of all of it', async (_, password) => {
      const digest = await given(password);
      expect(digest).toMatch(/^[A-Za-z0-9+/]{43}=$/); // bcrypt reads all of these bytes
      jest.restoreAllMocks();
      expect(await given(password)).toBe(digest);
      jest.restoreAllMocks();
      expect(await given(`${password.slice(0, -2)}xx`)).not.toBe(digest);
    });
  });

  it('time a hash without the wait before it, and one that fails, too', async () => {
    const registry = new Registry();
    const timed = new Passwords({ passwords: { concurrency: 1, longestWait: 5000 } }, registry);
    const durations = async (what: string): Promise<number> =>
      valueOf(parseExposition(await registry.metrics()), `bcrypt_hash_seconds_${what}`)!;
    jest
      .spyOn(hashing, 'hash')
      .mockImplementation(() => new Promise((resolve) => setTimeout(() => resolve(''), 30)));
    const start = performance.now();
    const all = [timed.hash('a'), timed.hash('b'), timed.hash('c')];
    expect(timed.queueDepth).toBe(3);
    await Promise.all(all);
    expect(timed.queueDepth).toBe(0);
    expect(await durations('count')).toBe(3);
    expect(await durations('sum')).toBeGreaterThan(0.06);
    expect(await durations('sum')).toBeLessThanOrEqual((performance.now() - start) / 1000); // one after the other
    jest.spyOn(hashing, 'hash').mockRejectedValue(new Error('broken'));
    await expect(timed.hash('a')).rejects.toThrow('broken');
    expect(await durations('count')).toBe(4);
    expect(timed.queueDepth).toBe(0);
  });
});
