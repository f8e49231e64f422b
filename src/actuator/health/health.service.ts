import { statfs } from 'node:fs/promises';
import { Injectable, type ServiceUnavailableException } from '@nestjs/common';
import { type HealthCheckResult, HealthCheckService, type HealthIndicatorResult } from '@nestjs/terminus';
import { Availability } from '../availability.js';
import { DatabaseProbe, VALIDATION_QUERY } from './database.probe.js';
import { type HealthComponent, HealthReport, STATUSES } from './health.response.js';

/** Bytes, as with Spring Boot: with less, every write to the disk is about to fail. */
const DISK_THRESHOLD = 10 * 1024 ** 2;
const PATH = process.cwd();

const GROUPS = {
  all: ['db', 'diskSpace', 'livenessState', 'ping', 'readinessState'],
  liveness: ['livenessState'],
  readiness: ['db', 'readinessState'],
} as const;

/** Terminus's words → Spring Boot's. */
const STATUS = { up: 'UP', degraded: 'OUT_OF_SERVICE', down: 'DOWN' } as const;

type Result = HealthIndicatorResult[string];

/** Terminus runs the checks; their results are reported in Spring Boot's words. */
@Injectable()
export class HealthService {
  private readonly checks = {
    db: () => this.db(),
    diskSpace: () => this.diskSpace(),
    livenessState: (): Result => ({ status: 'up' }),
    ping: (): Result => ({ status: 'up' }),
    readinessState: (): Result => ({ status: this.availability.draining ? 'degraded' : 'up' }),
  };

  constructor(
    private readonly terminus: HealthCheckService,
    private readonly database: DatabaseProbe,
    private readonly availability: Availability,
  ) {}

  async check(group: keyof typeof GROUPS): Promise<HealthReport> {
    const names = GROUPS[group];
    const checks = names.map((name) => async () => ({ [name]: await this.checks[name]() }));
    const { details } = await this.terminus.check(checks).catch(failedResult);
    const components = Object.fromEntries(names.map((name) => [name, componentOf(details[name])]));
    const found = Object.values(components).map((component) => component.status);
    const status = STATUSES.find((one) => found.includes(one)) ?? 'UP';
    const groups = group === 'all' ? { groups: ['liveness', 'readiness'] } : {};
    return new HealthReport({ status, components, ...groups });
  }

  private async db(): Promise<Result> {
    const found = await this.database.ask();
    const status = 'reason' in found ? 'down' : 'up';
    return { status, database: 'PostgreSQL', validationQuery: VALIDATION_QUERY, ...found };
  }

  private async diskSpace(): Promise<Result> {
    const about = { threshold: DISK_THRESHOLD, path: PATH };
    const disk = await statfs(PATH).catch(() => undefined);
    if (disk === undefined) return { status: 'down', ...about, exists: false };
    const free = disk.bavail * disk.bsize;
    const status = free < DISK_THRESHOLD ? 'down' : 'up';
    return { status, total: disk.blocks * disk.bsize, free, ...about, exists: true };
  }
}

/** Terminus throws its result when a component is down. */
function failedResult(error: ServiceUnavailableException): HealthCheckResult {
  return error.getResponse() as HealthCheckResult;
}

function componentOf({ status, ...details }: Result = { status: 'down' }): HealthComponent {
  const isBare = Object.keys(details).length === 0;
  return isBare ? { status: STATUS[status] } : { status: STATUS[status], details };
}
