import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createServer } from 'node:http';
import type { Settings } from '../src/config/env.js';
import { stopSignal } from '../src/config/process.js';
import { stopOn } from '../src/shutdown.js';
import { until } from './support/until.js';

// Beside no service: its own timers would stop with the clock.
describe('a stop', () => {
  const SETTINGS = { shutdownDelay: 100, shutdownTimeout: 1000 } as Settings;
  const LONGEST = 100 + 1000 + 5000;
  const exits: unknown[] = [];
  /** What was done, and when, or how long it took. */
  const steps: [string, number][] = [];

  beforeEach(() => {
    exits.length = steps.length = 0;
    jest.spyOn(process, 'exit').mockImplementation((code) => exits.push({ code, at: Date.now() }) as never);
  });

  /** The handlers of signals for an application that closes like this. */
  function handlersOf(close: () => Promise<void>): ReadonlyMap<unknown, () => void> {
    const log = ({ milliseconds }: { milliseconds?: number }, text: string): void =>
      void steps.push([text, milliseconds ?? Date.now()]);
    const parts = { draining: false, inFlight: [], connections: new Map(), info: log, warn: log };
    const server = createServer();
    for (const step of ['close', 'closeAllConnections'] as const)
      jest.spyOn(server, step).mockImplementation(() => (steps.push([step, Date.now()]), server));
    const app = { get: () => parts, getHttpServer: () => server, close };
    const handlers = new Map<unknown, () => void>();
    const on = jest.spyOn(process, 'on').mockImplementation((signal, handler) => {
      handlers.set(signal, handler);
      return process;
    });
    void stopOn(stopSignal(1), app as unknown as NestFastifyApplication, SETTINGS);
    on.mockRestore();
    return handlers;
  }

  it.each([
    ['SIGTERM', LONGEST],
    ['SIGINT, after 0 ms SIGTERM', 0],
    ['SIGINT, after 500 ms SIGINT', LONGEST], // npm passes on one Ctrl-C
    ['SIGINT, after 501 ms SIGINT', 501],
    ['SIGTERM, after 500 ms SIGTERM', LONGEST], // npm beside systemd
    ['SIGTERM, after 501 ms SIGHUP', LONGEST], // as systemd sends them
    ['SIGHUP, after 500 ms SIGINT', LONGEST], // pending signals arrive by number
  ])('that hangs ends on %s with 1 after %i ms', async (signals, end) => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    const start = Date.now();
    const handlers = handlersOf(() => new Promise(() => undefined));
    const [first, pause, second] = signals.split(/, after | ms /);
    handlers.get(first)!();
    await jest.advanceTimersByTimeAsync(Number(pause ?? 0));
    handlers.get(second)?.();
    await jest.advanceTimersByTimeAsync(LONGEST);
    expect(exits[0]).toEqual({ code: 1, at: start + end });
  });

  it('closes the server after the delay, and cuts requests off after the timeout', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    const start = Date.now();
    handlersOf(() => new Promise(() => undefined)).get('SIGTERM')!();
    await jest.advanceTimersByTimeAsync(LONGEST);
    expect(steps.map(([step, at]) => [step, at - start])).toEqual([
      ['stopping', 0],
      ['close', 100],
      ['requests still under way are cut off', 1100],
      ['closeAllConnections', 1100],
    ]);
  });

  it('ends with 0 and without a timer once everything is closed', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    await jest.advanceTimersByTimeAsync(5);
    const start = Date.now();
    handlersOf(() => Promise.resolve()).get('SIGTERM')!();
    await jest.advanceTimersByTimeAsync(100);
    expect([exits, jest.getTimerCount()]).toEqual([[{ code: 0, at: start + 100 }], 0]);
    expect(steps).toEqual([
      ['stopping', start],
      ['close', start + 100],
      ['stopped', 100],
    ]); // 100 ms later
  });

  it('ends with 1 and the reason when it fails', async () => {
    const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    handlersOf(() => Promise.reject(new Error('the pool is stuck'))).get('SIGTERM')!();
    await until(() => exits.length > 0);
    expect(said.mock.calls.flat().join('')).toContain('The shutdown failed: Error: the pool is stuck');
    expect(exits).toEqual([expect.objectContaining({ code: 1 })]);
  });
});
