import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { InjectMetric } from '@willsoto/nestjs-prometheus';
import type { Histogram } from 'prom-client';
import { Settings } from '../config/env.js';
import { ANYBODY, Places } from '../common/concurrency/places.js';
import { gaugeProvider, histogramProvider } from '../common/metrics/providers.js';
import { ProblemError } from '../common/problems/problem.js';

const COST = 10;
const MAX_BYTES = 72; // bcrypt reads this many bytes and ignores the rest
/** The hash of an unknown password: an unknown name takes as long as a wrong password. */
const DUMMY_HASH = '$2b$10$dpblC6STQ./bTIZqOsdbleZqoHds0AAWFGcPvmbD04Sem2HIBrj82';

const DURATIONS = {
  name: 'bcrypt_hash_seconds',
  help: 'Time of a password hash, without the wait before it.',
  buckets: [0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5], // about 60 ms where nothing else runs
};

/** Salted bcrypt hashes, few at a time: each takes a core and one of libuv's threads, which files and DNS need, too. */
@Injectable()
export class Passwords {
  private readonly running: Places;

  constructor(
    settings: Settings,
    @InjectMetric(DURATIONS.name) private readonly durations: Histogram,
  ) {
    const { passwordHashes: most, passwordHashWait: after } = settings;
    const error = () => new ProblemError('service-unavailable', 'Too many sign-ins at once.');
    this.running = new Places(most, most, { own: { after, error }, others: { after, error } });
  }

  get depth(): number {
    return this.running.depth;
  }

  async hash(password: string): Promise<string> {
    return this.inTurn(() => this.timed(() => bcrypt.hash(reduced(password), COST)));
  }

  /** The account found, if the password is its own. Undefined after the same work without one. Throws service-unavailable. */
  async verified<T extends { passwordHash: string }>(password: string, find: () => Promise<T | undefined>) {
    return this.inTurn(async () => {
      const account = await find();
      const hash = account?.passwordHash ?? DUMMY_HASH;
      return (await this.timed(() => bcrypt.compare(reduced(password), hash))) ? account : undefined;
    });
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    const leave = await this.running.take(ANYBODY);
    return work().finally(leave);
  }

  private async timed<T>(work: () => Promise<T>): Promise<T> {
    const end = this.durations.startTimer();
    return work().finally(end);
  }
}

export const PASSWORD_METRICS = [
  histogramProvider(DURATIONS),
  gaugeProvider({
    name: 'bcrypt_queue_depth',
    help: 'Password hashes that run or wait.',
    inject: [Passwords],
    read: ({ depth }: Passwords) => depth,
  }),
];

/** A password that bcrypt would truncate becomes its HMAC. The key is no secret: it sets the digest apart from other uses. */
function reduced(password: string): string {
  if (Buffer.byteLength(password) <= MAX_BYTES) return password;
  return createHmac('sha256', 'property-finance password').update(password).digest('base64');
}
