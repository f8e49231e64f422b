import type { JsonParts } from '../common/json/exact-json.js';
import { ExportService } from './export.service.js';

it('an export ends after an hour, and gives its places back', async () => {
  jest.useFakeTimers();
  async function* parts(): AsyncGenerator<string, void> {
    for (;;) yield await Promise.resolve('x');
  }
  let held = 0;
  const take = (): Promise<() => void> => {
    held++;
    return Promise.resolve(() => {
      held--;
    });
  };
  const stubs = [
    { snapshot: parts },
    { start: () => Promise.resolve(undefined) },
    { hold: take },
    { exports: { has: () => false, take } },
    { row: { octets: '0', fields: new Map(), json: '' } },
  ] as unknown as ConstructorParameters<typeof ExportService>;
  const service = new ExportService(...stubs);
  const list = { table: 'properties' } as Parameters<ExportService['begin']>[1];
  const query = {} as Parameters<ExportService['begin']>[3];
  const asked = [{ id: '1' } as never, list, 'application/x-ndjson', query] as const;
  const stream = (await service.begin(...asked)).resource.json as JsonParts;
  const ended = new Promise<Error>((resolve) => stream.once('error', resolve));
  await jest.advanceTimersByTimeAsync(3_599_000);
  expect(held).toBe(2);
  await jest.advanceTimersByTimeAsync(2000);
  expect(await ended).toEqual(new Error('its client has taken an hour'));
  expect(held).toBe(0);
});
