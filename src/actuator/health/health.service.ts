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
import { type HealthComponent, HealthReport, STATUSES } from './health.response.js';

/** Bytes, as with Spring Boot: with less, every write to the disk is about to fail. */
const DISK_THRESHOLD = 10 * 1024 ** 2;

const GROUPS = {
  all: ['db', 'diskSpace', 'livenessState', 'ping', 'readinessState'],
  liveness: ['livenessState'],
  readiness: ['db', 'readinessState'],
} as const;

/** Terminus runs the checks; their results are reported in Spring Boot's words. */
@Injectable()
export class HealthService {
  private readonly path = process.cwd();
  private readonly checks = {
    db: () => this.db(),
    diskSpace: () => this.diskSpace(),
    livenessState: () => this.indicators.check('livenessState').up(),
    ping: () => this.indicators.check('ping').up(),
    readinessState: () => this.readinessState(),
  };

  constructor(
    private readonly terminus: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly database: DatabaseProbe,
    private readonly availability: Availability,
  ) {}

  async check(group: keyof typeof GROUPS): Promise<HealthReport> {
    const names = GROUPS[group];
    const { details } = await this.terminus.check(names.map((name) => this.checks[name])).catch(failedResult);
    const components = Object.fromEntries(names.map((name) => [name, componentOf(details[name])]));
    const found = Object.values(components).map((component) => component.status);
    const status = STATUSES.find((one) => found.includes(one)) ?? 'UP';
    return new HealthReport({
      ...{ status, components },
      ...(group === 'all' && { groups: ['liveness', 'readiness'] }),
    });
  }

  private async db(): Promise<HealthIndicatorResult> {
    const result = await this.database.ask();
    const about = { database: 'PostgreSQL', validationQuery: VALIDATION_QUERY };
    const indicator = this.indicators.check('db');
    return 'reason' in result
      ? indicator.down({ ...about, ...result })
      : indicator.up({ ...about, ...result });
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

/** Terminus throws its result when a component is down. */
function failedResult(error: unknown): HealthCheckResult {
  if (error instanceof ServiceUnavailableException) return error.getResponse() as HealthCheckResult;
  throw error;
}

/** Terminus knows no state between up and down; a component that refuses traffic on purpose is not down. */
function componentOf(result: HealthIndicatorResult[string] = { status: 'down' }): HealthComponent {
  const { status, draining, ...details } = result;
  if (draining === true) return { status: 'OUT_OF_SERVICE' };
  const word = status === 'down' ? 'DOWN' : 'UP';
  return Object.keys(details).length === 0 ? { status: word } : { status: word, details };
}
