import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../bench/launch.js';
import type { Rig } from '../../faults/support/rig.js';
import { Program } from '../../support/program.js';

const ARRIVES_WITHIN = 15_000;
/** Spans come in batches; when nothing more has come for so long, the trace is whole. */
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

/** A real Zipkin, which keeps what it gets in memory. */
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

  /** Where spans are sent to, for OpenTelemetry. */
  get endpoint(): string {
    return `${this.url}/api/v2/spans`;
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
