import bcrypt from 'bcrypt';
import { Histogram } from 'prom-client';
import type { Settings } from '../config/env.js';
import { Passwords } from './passwords.js';

/** The overload that the service uses. */
const hashing: { hash: (password: string, cost: number) => Promise<string> } = bcrypt;

const durations = (): Histogram => new Histogram({ name: 'seconds', help: 'Time.', registers: [] });

describe('Passwords', () => {
  it.each(['p'.repeat(71) + 'é', '🏠'.repeat(72)])(
    'hashes a digest of more than 72 bytes: %s',
    async (password) => {
      const passwords = new Passwords({ passwordHashes: 2, passwordHashWait: 5000 } as Settings, durations());
      const hash = jest.spyOn(hashing, 'hash').mockResolvedValue('');
      for (const text of [password, password, `${password.slice(0, -2)}xx`]) await passwords.hash(text);
      const [digest, again, other] = hash.mock.calls.map(([text]) => text);
      expect(digest).toMatch(/^[A-Za-z0-9+/]{43}=$/); // bcrypt reads all of these bytes
      expect([again === digest, other === digest]).toEqual([true, false]);
    },
  );

  it('counts a hash that waits, and times one that fails', async () => {
    const times = durations();
    const single = new Passwords({ passwordHashes: 1, passwordHashWait: 5000 } as Settings, times);
    let fail!: (error: Error) => void;
    jest
      .spyOn(hashing, 'hash')
      .mockReturnValueOnce(new Promise((_, reject) => (fail = reject)))
      .mockResolvedValueOnce('');
    const [first, second] = [single.hash('a'), single.hash('b')];
    expect(single.depth).toBe(2);
    fail(new Error('broken'));
    await expect(first).rejects.toThrow('broken');
    await second;
    const { values } = await times.get();
    expect([single.depth, values.at(-1)!.value]).toEqual([0, 2]);
  });
});
