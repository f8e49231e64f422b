import { statfs } from 'node:fs/promises';
import { Injectable, type ServiceUnavailableException } from '@nestjs/common';
import {
  type HealthCheckResult,
  HealthCheckService,
  type HealthIndicatorResult,
  HealthIndicatorService,
} from '@nestjs/terminus';
import { DatabaseProbe, VALIDATION_QUERY } from './database.probe.js';
import { type HealthComponent, type HealthResponse, HEALTH_STATUSES } from './health.response.js';

/** Bytes, as with Spring Boot: with less, every write to the disk is about to fail. */
const DISK_THRESHOLD = 10 * 1024 ** 2;
const PATH = process.cwd();

const GROUPS = {
  all: ['db', 'diskSpace', 'livenessState', 'ping', 'readinessState'],
  liveness: ['livenessState'],
  readiness: ['db', 'readinessState'],
} as const;
export type HealthGroup = keyof typeof GROUPS;

type Result = HealthIndicatorResult[string];
type Session = ReturnType<HealthIndicatorService['check']>;
type Indicator = (session: Session) => HealthIndicatorResult | Promise<HealthIndicatorResult>;

/** Terminus runs the checks of a group; here their results get the contract's shape. */
@Injectable()
export class HealthService {
  /** Set when the process has been told to stop and only finishes what it has begun. */
  draining = false;
  private readonly indicators: Readonly<Record<(typeof GROUPS.all)[number], Indicator>> = {
    db: async (session) => {
      const found = await this.database.ask();
      const about = { database: 'PostgreSQL', validationQuery: VALIDATION_QUERY };
      return 'reason' in found ? session.down({ ...about, ...found }) : session.up({ ...about, ...found });
    },
    diskSpace,
    livenessState: (session) => session.up(),
    ping: (session) => session.up(),
    readinessState: (session) => (this.draining ? session.degraded() : session.up()),
  };

  constructor(
    private readonly terminus: HealthCheckService,
    private readonly sessions: HealthIndicatorService,
    private readonly database: DatabaseProbe,
  ) {}

  async check(group: HealthGroup): Promise<HealthResponse> {
    const names = GROUPS[group];
    const checks = names.map((name) => () => this.indicators[name](this.sessions.check(name)));
    const { details } = await this.terminus.check(checks).catch(resultOf);
    const components = Object.fromEntries(names.map((name) => [name, componentOf(details[name])]));
    const found = Object.values(components).map((component) => component.status);
    const status = Object.values(HEALTH_STATUSES).find((one) => found.includes(one)) ?? 'UP';
    const groups = group === 'all' ? { groups: ['liveness', 'readiness'] } : {};
    return { status, components, ...groups };
  }
}

/** Terminus throws its result when a component is down. */
const resultOf = (error: ServiceUnavailableException) => error.getResponse() as HealthCheckResult;

function componentOf({ status, ...details }: Result = { status: 'down' }): HealthComponent {
  return { status: HEALTH_STATUSES[status], ...(Object.keys(details).length > 0 && { details }) };
}

async function diskSpace(session: Session): Promise<HealthIndicatorResult> {
  const about = { threshold: DISK_THRESHOLD, path: PATH };
  const disk = await statfs(PATH).catch(() => undefined);
  if (disk === undefined) return session.down({ ...about, exists: false });
  const free = disk.bavail * disk.bsize;
  const details = { total: disk.blocks * disk.bsize, free, ...about, exists: true };
  return free < DISK_THRESHOLD ? session.down(details) : session.up(details);
}
