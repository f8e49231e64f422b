import type { Rig } from '../../faults/support/rig.js';
import type { Service } from '../../faults/support/service.js';
import { importing } from '../../support/wrong-clock.js';

/** Makes SIGUSR2 fill the heap and hold up the event loop, and the next one end both. */
const DISTURBANCE = `
  import { getHeapStatistics } from 'node:v8';
  let kept = [], timer;
  process.on('SIGUSR2', () => {
    if (timer) {
      clearInterval(timer);
      timer = undefined;
      kept = [];
    } else {
      const enough = 0.75 * getHeapStatistics().heap_size_limit;
      gc();
      while (getHeapStatistics().used_heap_size < enough) kept.push(new Array(20_000).fill(kept.length));
      timer = setInterval(() => {
        for (const end = performance.now() + 250; performance.now() < end;);
      }, 500);
    }
    gc();
  });`;

/** A service that keeps its port from start to start. */
export class Instance {
  private running: Service | undefined;

  constructor(
    private readonly rig: Rig,
    private readonly databaseUrl: string,
    private readonly port: number,
  ) {}

  /** As Prometheus calls it. */
  get name(): string {
    return `127.0.0.1:${this.port}`;
  }

  get url(): string {
    return `http://${this.name}`;
  }

  /** Stops the one that runs first. */
  async start(env: Record<string, string>): Promise<void> {
    await this.stop();
    const nodeArgs = ['--expose-gc', ...importing(DISTURBANCE)];
    this.running = this.rig.launch({ databaseUrl: this.databaseUrl, env, nodeArgs }, this.port);
    await this.running.ready();
  }

  signal(signal: NodeJS.Signals): void {
    this.running?.signal(signal);
  }

  async stop(): Promise<void> {
    await this.running?.stop();
  }
}
