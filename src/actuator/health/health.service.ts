import { statfs } from 'node:fs/promises';
import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import {
  type HealthCheckResult,
  HealthCheckService,
  type HealthIndicatorResult,
  HealthIndicatorService,
} from '@nestjs/terminus';
import { Availability } from '../availability.js';
import { DatabaseProbe, VALIDATION_QUERY } from './database.probe.js';
import { type Component, type Health, STATUSES } from './health.response.js';

/** Bytes. With less than this, as with Spring Boot, whatever is written to the disk is about to fail. */
const DISK_THRESHOLD = 10 * 1024 ** 2;

type ComponentName = 'db' | 'diskSpace' | 'livenessState' | 'ping' | 'readinessState';

/** All that is looked at, and the two parts that orchestrators probe. */
const GROUPS = {
  all: ['db', 'diskSpace', 'livenessState', 'ping', 'readinessState'],
  liveness: ['livenessState'],
  readiness: ['db', 'readinessState'],
} as const satisfies Record<string, readonly ComponentName[]>;
export type HealthGroup = keyof typeof GROUPS;

/** Has Terminus run the checks, and says what they found in Spring Boot's words. */
@Injectable()
export class HealthService {
  private readonly path = process.cwd();
  private readonly checks: Record<ComponentName, () => Promise<HealthIndicatorResult>> = {
    db: () => this.db(),
    diskSpace: () => this.diskSpace(),
    livenessState: () => Promise.resolve(this.indicators.check('livenessState').up()),
    ping: () => Promise.resolve(this.indicators.check('ping').up()),
    readinessState: () => Promise.resolve(this.readinessState()),
  };

  constructor(
    private readonly terminus: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly database: DatabaseProbe,
    private readonly availability: Availability,
  ) {}

  async check(group: HealthGroup): Promise<Health> {
    const names: readonly ComponentName[] = GROUPS[group];
    const { details } = await this.terminus.check(names.map((name) => this.checks[name])).catch(failedResult);
    const components = Object.fromEntries(names.map((name) => [name, componentOf(details[name])]));
    const found = Object.values(components).map((component) => component.status);
    return { status: STATUSES.find((status) => found.includes(status)) ?? 'UP', components };
  }

  private async db(): Promise<HealthIndicatorResult> {
    const finding = await this.database.ask();
    const about = { database: 'PostgreSQL', validationQuery: VALIDATION_QUERY };
    const indicator = this.indicators.check('db');
    return 'reason' in finding
      ? indicator.down({ ...about, reason: finding.reason })
      : indicator.up({ ...about, version: finding.version });
  }

  private async diskSpace(): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check('diskSpace');
    const about = { threshold: DISK_THRESHOLD, path: this.path };
    const disk = await statfs(this.path).catch(() => undefined);
    if (disk === undefined) return indicator.down({ ...about, exists: false });
    const free = disk.bavail * disk.bsize;
    const details = { total: disk.blocks * disk.bsize, free, ...about, exists: true };
    return free < DISK_THRESHOLD ? indicator.down(details) : indicator.up(details);
  }

  private readinessState(): HealthIndicatorResult {
    const indicator = this.indicators.check('readinessState');
    return this.availability.draining ? indicator.down({ draining: true }) : indicator.up();
  }
}

/** Terminus throws what it found when something is down. */
function failedResult(error: unknown): HealthCheckResult {
  if (error instanceof ServiceUnavailableException) return error.getResponse() as HealthCheckResult;
  throw error;
}

/** Terminus knows no state between up and down; a component that refuses traffic on purpose is not down. */
function componentOf(result: HealthIndicatorResult[string] = { status: 'down' }): Component {
  const { status, draining, ...details } = result;
  if (draining === true) return { status: 'OUT_OF_SERVICE' };
  const word = status === 'down' ? 'DOWN' : 'UP';
  return Object.keys(details).length === 0 ? { status: word } : { status: word, details };
}
