import type { Criterion } from '../../faults/protocol.js';
import { criterion, none } from '../../faults/support/criteria.js';
import { labelValues, readDashboards } from '../../support/monitoring.js';
import { run } from '../support/commands.js';
import { METRICS_TOKEN, PACE } from './stage.js';

/** Seconds between two scrapes. */
const SCRAPE_INTERVAL = 15 / PACE;
/** Micrometer's name for a gauge. */
const EXPECTED = 'system_cpu_count non-histogram';
/** The threshold of an alert. */
const THRESHOLD = / (==|[<>]=?) \d[\d.* ]*/g;

interface Groups {
  readonly groups: readonly { readonly rules: readonly Record<'name' | 'health' | 'query', string>[] }[];
}

interface Series {
  readonly result: readonly { readonly values: readonly [time: number, value: string][] }[];
}

/** promtool's check of a scrape. */
export async function metricsCriterion(service: string): Promise<Criterion> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  const input = await (await fetch(`http://${service}/actuator/prometheus`, { headers })).text();
  const output = await run('sh', ['-c', 'promtool check metrics 2>&1 || true'], { input });
  const lines = output.split('\n').filter((line) => line !== '' && !line.startsWith(EXPECTED));
  return none('complaint of promtool about the metrics', input === '' ? ['no metrics'] : lines);
}

/** The HTTP API of Prometheus, on its data since a moment in seconds. */
export class Data {
  constructor(
    private readonly prometheus: string,
    private readonly start: number,
  ) {}

  /** No scrape of the service has failed, and every alert is evaluated on data. */
  async alertCriteria(service: string): Promise<Criterion[]> {
    const up = `up{job="property-finance", instance="${service}"}`;
    const scrapes = await this.values(up);
    const failed = scrapes.filter((value) => value !== '1').length;
    const rules = (await this.ask<Groups>('rules')).groups.flatMap((group) => group.rules);
    const blind: string[] = [];
    for (const { name, health, query } of rules)
      if (health !== 'ok' || !(await this.has(query.replaceAll(THRESHOLD, '')))) blind.push(name);
    return [
      criterion('no scrape fails with a table locked', failed === 0, `${failed} of ${scrapes.length}`),
      none(`alert without data, of ${rules.length}`, blind),
    ];
  }

  /** Every query and every variable of the dashboards finds data. */
  async dashboardCriteria(): Promise<Criterion[]> {
    const criteria: Criterion[] = [];
    for (const { file, panels, templating } of readDashboards()) {
      const chosen = new Map([['__rate_interval', `${4 * SCRAPE_INTERVAL}s`]]);
      const filled = (text: string): string =>
        text.replaceAll(/\$(\w+)/g, (match, name: string) => chosen.get(name) ?? match);
      const empty: string[] = [];
      for (const { name, query } of templating.list) {
        const variable = labelValues(query);
        if (variable === undefined) continue;
        const match = { 'match[]': filled(variable.expression) };
        const [first] = await this.ask<string[]>(`label/${variable.label}/values`, match);
        if (first === undefined) empty.push(`$${name}`);
        chosen.set(name, name === 'instance' ? '.+' : (first ?? ''));
      }
      for (const { title, targets = [] } of panels)
        for (const { expr } of targets) if (!(await this.has(filled(expr)))) empty.push(`${title}: ${expr}`);
      criteria.push(none(`query or variable of ${file} without data`, empty));
    }
    return criteria;
  }

  private async has(query: string): Promise<boolean> {
    return (await this.values(query)).some((value) => value !== 'NaN');
  }

  private async values(query: string): Promise<string[]> {
    const [start, end, step] = [this.start, Date.now() / 1000, SCRAPE_INTERVAL].map(String);
    const parameters = { query, start: start!, end: end!, step: step! };
    const { result } = await this.ask<Series>('query_range', parameters);
    return result.flatMap(({ values }) => values.map(([, value]) => value));
  }

  private async ask<T>(path: string, parameters: Record<string, string> = {}): Promise<T> {
    const query = String(new URLSearchParams(parameters));
    const response = await fetch(`${this.prometheus}/api/v1/${path}?${query}`);
    const { data, error } = (await response.json()) as { data: T; error?: string };
    if (!response.ok) throw new Error(`${path} ${query}: ${error ?? response.status}`);
    return data;
  }
}
