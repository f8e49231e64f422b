import { freePort } from '../../../bench/launch.js';
import type { Rig } from '../../faults/support/rig.js';
import { Program } from '../../support/program.js';
import { timeUntil } from '../../support/until.js';

const ARRIVES_WITHIN = 15_000;
/** Milliseconds between two looks. Spans come in batches: a trace is whole when none has come in between. */
const QUIET = 2500;

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
  await program.serves(`http://127.0.0.1:${port}/health`);
  return `http://127.0.0.1:${port}`;
}

/** The spans of a trace, once they are at least so many and no more come. */
export async function spansOf(zipkin: string, traceId: string, least: number): Promise<Span[]> {
  let spans: Span[] = [];
  const isWhole = async (): Promise<boolean> => {
    const before = spans.length;
    const response = await fetch(`${zipkin}/api/v2/trace/${traceId}`);
    spans = response.ok ? ((await response.json()) as Span[]) : [];
    return before >= least && spans.length === before;
  };
  await timeUntil(isWhole, ARRIVES_WITHIN, QUIET);
  return spans;
}
