import type { FastifyRequest } from 'fastify';
import { testSettings } from '../../test/support/settings.js';
import { ClientMemory } from './client-memory.js';
import type { Requests } from './requests.js';

it('refusals of heads wait for their turns while there is room for what has been read of their bodies', async () => {
  const turns: (() => void)[] = [];
  const requests = {
    keep: () => undefined,
    refusalTurn: () => new Promise<void>((turn) => turns.push(turn)),
  };
  const settings = testSettings('postgres://localhost/ledger', { CLIENT_MEMORY: '1MiB' });
  const memory = new ClientMemory(requests as unknown as Requests, settings);
  const request = { caller: { id: '1' }, raw: { headers: { 'content-length': '999999' } } };
  const waiting = Array.from({ length: 6 }, () => memory.refusalTurn(request as unknown as FastifyRequest));
  await expect(memory.refusalTurn(request as unknown as FastifyRequest)).rejects.toThrow(
    'Your other requests',
  );
  expect(turns).toHaveLength(6);
  for (const turn of turns) turn();
  await Promise.all(waiting);
});
