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

/** Starts a Zipkin that keeps spans in memory. Returns its URL. */
export async function startZipkin(rig: Rig, jar: string): Promise<string> {
  const port = await freePort();
  const env = { ...process.env, QUERY_PORT: String(port), SELF_TRACING_ENABLED: 'false' };
  const program = new Program(rig, ['java', '-Xmx256m', '-jar', jar], { cwd: rig.folder, env });
  await program.answers(`http://127.0.0.1:${port}/health`);
  return `http://127.0.0.1:${port}`;
}

/** The spans of a trace, once they are at least so many and no more come. */
export async function spansOf(zipkin: string, traceId: string, least: number): Promise<Span[]> {
  let spans: Span[] = [];
  let changed = Date.now();
  for (const deadline = Date.now() + ARRIVES_WITHIN; Date.now() < deadline;) {
    await sleep(PAUSE);
    const response = await fetch(`${zipkin}/api/v2/trace/${traceId}`);
    const found = response.ok ? ((await response.json()) as Span[]) : [];
    if (found.length !== spans.length) changed = Date.now();
    spans = found;
    if (spans.length >= least && Date.now() - changed > QUIET) break;
  }
  return spans;
}
