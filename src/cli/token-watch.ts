import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import type { Settings } from '../config/settings.js';
import { ProblemError } from '../http/problem/problem.js';
import { databaseTrouble } from './database-trouble.js';
import { Failure } from './errors.js';
import type { Io } from './io.js';
import { NotReady, withServices } from './services.js';

type Renew = (services: INestApplicationContext) => Promise<void>;

/** A token is renewed after half of its life, and at least every day: a timer cannot wait for more than 24 days. */
const LONGEST_PAUSE = 24 * 3600 * 1000;
/** After a failure it is tried again this many times within what is left of a life, */
const ATTEMPTS = 20;
/** and at least so often, in milliseconds. */
const LONGEST_WAIT = 5000;

/** Renews the token until the tool is told to stop. Throws what no waiting mends: a deleted account, for example. */
export async function keepFresh(io: Io, settings: Settings, renew: Renew): Promise<void> {
  const pause = Math.min(settings.jwt.lifetime / 2, LONGEST_PAUSE);
  const wait = Math.min(pause / ATTEMPTS, LONGEST_WAIT);
  const state = new State(io);
  while (!io.stop.aborted) {
    try {
      await withServices(settings, async (services) => {
        for (let next = 0; await slept(next, io.stop); next = state.trouble === undefined ? pause : wait)
          await attempt(() => renew(services), state);
      });
    } catch (error) {
      state.change(troubleOf(error, state)); // the services could not even be had
      await slept(wait, io.stop);
    }
  }
}

async function attempt(work: () => Promise<void>, state: State): Promise<void> {
  try {
    await work();
    state.change(undefined);
    state.hasWorked = true;
  } catch (error) {
    state.change(troubleOf(error, state));
  }
}

/** What to tell of an error that may pass by itself. Throws any other. */
function troubleOf(error: unknown, { hasWorked }: State): Trouble {
  const cause = error instanceof ProblemError ? error.options.cause : error;
  const trouble = databaseTrouble(cause);
  const isAway =
    error instanceof NotReady || (error instanceof ProblemError && error.slug === 'service-unavailable');
  if (trouble !== undefined || isAway)
    return { kind: 'database', text: `The database cannot be used (${trouble?.reason ?? 'unavailable'})` };
  // A file that could be written once: a disk that is full, for example.
  if (hasWorked && error instanceof Failure) return { kind: 'file', text: error.message };
  throw error;
}

interface Trouble {
  readonly kind: 'database' | 'file';
  readonly text: string;
}

/** Tells when things get worse or better, and not at every attempt. */
class State {
  trouble: Trouble | undefined;
  hasWorked = false;

  constructor(private readonly io: Io) {}

  change(trouble: Trouble | undefined): void {
    if (trouble !== undefined && trouble.kind !== this.trouble?.kind)
      this.io.err(`${trouble.text}; trying on.`);
    if (trouble === undefined && this.trouble !== undefined) this.io.err('The token was renewed again.');
    this.trouble = trouble;
  }
}

/** False when the tool was told to stop meanwhile. */
async function slept(time: number, stop: AbortSignal): Promise<boolean> {
  await sleep(time, undefined, { signal: stop }).catch(() => undefined);
  return !stop.aborted;
}
