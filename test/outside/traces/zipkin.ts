import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../bench/launch.js';
import type { Rig } from '../../faults/support/rig.js';
import { Program } from '../../support/program.js';

const ARRIVES_WITHIN = 15_000;
/** Spans come in batches: a trace is whole when none has come for so long. */
const QUIET = 2500;
const PAUSE = 200;

export interface Span {
  readonly id: string;
  readonly traceId: string;
  readonly parentId?: string;
  readonly name?: string;
  readonly kind?: 'CLIENT' | 'SERVER';
  readonly localEndpoint?: { readonly serviceName?: string };
  readonly tags?: Readonly<Record<string, string>>;
}

/** A real Zipkin, which keeps spans in memory. */
export class Zipkin {
  private constructor(private readonly url: string) {}

  static async start(rig: Rig, jar: string): Promise<Zipkin> {
    const port = await freePort();
    const zipkin = new Zipkin(`http://127.0.0.1:${port}`);
    const program = new Program(rig, ['java', '-Xmx256m', '-jar', jar], {
      cwd: rig.folder,
      env: { ...process.env, QUERY_PORT: String(port), SELF_TRACING_ENABLED: 'false' },
    });
    await program.answers(`${zipkin.url}/health`);
    return zipkin;
  }

  /** The environment in which Node sends its spans to here. */
  environment(nodeOptions: string, name: string): Record<string, string> {
    return {
      NODE_OPTIONS: nodeOptions,
      OTEL_SERVICE_NAME: name,
      OTEL_TRACES_EXPORTER: 'zipkin',
      OTEL_EXPORTER_ZIPKIN_ENDPOINT: `${this.url}/api/v2/spans`,
      OTEL_BSP_SCHEDULE_DELAY: '1000',
    };
  }

  /** The spans of a trace, once they are at least so many and no more come. */
  async trace(traceId: string, least: number): Promise<Span[]> {
    let spans: Span[] = [];
    let changed = Date.now();
    for (const deadline = Date.now() + ARRIVES_WITHIN; Date.now() < deadline;) {
      await sleep(PAUSE);
      const response = await fetch(`${this.url}/api/v2/trace/${traceId}`);
      const found = response.ok ? ((await response.json()) as Span[]) : [];
      if (found.length !== spans.length) changed = Date.now();
      spans = found;
      if (spans.length >= least && Date.now() - changed > QUIET) return spans;
    }
    return spans;
  }
}
