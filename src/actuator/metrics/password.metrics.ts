import { Histogram, type Registry } from 'prom-client';
import { gauge } from './registry.js';

/** Seconds. A hash of cost 10 takes about 60 ms where nothing else runs. */
const BUCKETS = [0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5];

/** What the hasher of passwords lets be seen. */
export interface MeasurableHashing {
  onHash: (seconds: number) => void;
  readonly queueDepth: number;
}

export function measureHashing(registry: Registry, passwords: MeasurableHashing): void {
  const histogram = new Histogram({
    name: 'bcrypt_hash_seconds',
    help: 'Time of a password hash, without the wait before it.',
    buckets: BUCKETS,
    registers: [registry],
  });
  passwords.onHash = (seconds) => histogram.observe(seconds);
  gauge(registry, 'bcrypt_queue_depth', 'Password hashes that run or wait.', () => passwords.queueDepth);
}
