import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../bench/launch.js';
import type { Rig } from '../../faults/support/rig.js';
import type { Service } from '../../faults/support/service.js';

/** HAProxy takes an instance back after two checks. */
const RISE = 2;

/** Several instances on one database, each at the same port whenever it is started. */
export class Instances {
  private constructor(
    private readonly start: (index: number) => Promise<Service>,
    readonly ports: readonly number[],
    readonly services: Service[],
  ) {}

  /** Starts all of them at the same time. */
  static async together(
    rig: Rig,
    databaseUrl: string,
    number: number,
    env: Record<string, string> = {},
  ): Promise<Instances> {
    const ports: number[] = [];
    while (ports.length < number) ports.push(await freePort());
    const start = (index: number): Promise<Service> =>
      rig.launch({ databaseUrl, env, name: `instance-${index}` }, ports[index]).ready();
    return new Instances(start, ports, await Promise.all(ports.map((_, index) => start(index))));
  }

  get urls(): string[] {
    return this.services.map(({ url }) => url);
  }

  at(index: number): Service {
    return this.services[index]!;
  }

  /** After it has ended. */
  async startAgain(index: number): Promise<void> {
    this.services[index] = await this.start(index);
  }

  /** One after the other is stopped, started again and waited for, with so many milliseconds between two checks. */
  async restartAll(checks: number): Promise<void> {
    for (const index of this.ports.keys()) {
      this.at(index).signal('SIGTERM');
      await this.at(index).exited;
      await this.startAgain(index);
      await sleep(RISE * checks + 1000);
    }
  }
}
