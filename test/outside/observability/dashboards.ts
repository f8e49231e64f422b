import type { Criterion } from '../../faults/protocol.js';
import { criterion } from '../../faults/support/criteria.js';
import { labelValues, readDashboards } from '../../support/monitoring.js';
import { SCRAPE_INTERVAL } from './configuration.js';
import type { PrometheusApi, Series } from './prometheus-api.js';

/** What the drop-downs of the published dashboards for Micrometer are filled from. */
const PUBLISHED = [
  ['jvm_classes_loaded_classes', 'instance'],
  ['jvm_classes_loaded_classes', 'application'],
  ['jvm_memory_used_bytes{area="heap"}', 'id'],
  ['jvm_memory_used_bytes{area="nonheap"}', 'id'],
  ['hikaricp_connections', 'pool'],
] as const;

/** Whether every query and every variable of our dashboards, and of others the variables, find data since `start`. */
export async function dashboardCriteria(api: PrometheusApi, start: number): Promise<Criterion[]> {
  const found: Criterion[] = [];
  for (const { file, panels, templating } of readDashboards()) {
    const chosen = new Map([['__rate_interval', `${4 * SCRAPE_INTERVAL}s`]]);
    const empty: string[] = [];
    for (const { name, query } of templating.list) {
      const variable = labelValues(query);
      if (variable === undefined) continue;
      const values = await api.labelValues(variable.label, withVariables(variable.expression, chosen));
      if (values.length === 0) empty.push(`$${name}`);
      chosen.set(name, name === 'instance' ? '.+' : (values[0] ?? ''));
    }
    const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
    for (const { title, expr } of queries) {
      const series = await api.range(
        withVariables(expr, chosen),
        start,
        Date.now() / 1000,
        2 * SCRAPE_INTERVAL,
      );
      if (!hasData(series)) empty.push(`${title}: ${expr}`);
    }
    const count = `${queries.length} queries, ${chosen.size - 1} variables`;
    found.push(
      criterion(`every query of ${file} has data`, empty.length === 0, [count, ...empty].join('; ')),
    );
  }
  return [...found, await publishedVariables(api)];
}

async function publishedVariables(api: PrometheusApi): Promise<Criterion> {
  const empty: string[] = [];
  for (const [expression, label] of PUBLISHED)
    if ((await api.labelValues(label, expression)).length === 0) empty.push(`${expression} ${label}`);
  const told = empty.join('; ') || `${PUBLISHED.length} variables`;
  return criterion("Micrometer's dashboards find their variables", empty.length === 0, told);
}

function hasData(series: readonly Series[]): boolean {
  return series.some(({ values }) => values.some(([, value]) => value !== 'NaN'));
}

function withVariables(expression: string, chosen: ReadonlyMap<string, string>): string {
  return expression.replaceAll(/\$(\w+)/g, (text, name: string) => chosen.get(name) ?? text);
}
