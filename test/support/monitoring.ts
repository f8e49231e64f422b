import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';

/** The configuration of Prometheus, Alertmanager and their exporters for operators. */
export const PROMETHEUS = 'deploy/prometheus';

interface Dashboard {
  readonly file: string;
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: string }[] };
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

export function readYaml(file: string): unknown {
  return load(readFileSync(file, 'utf8'));
}

export function readAlerts(): { alert: string; expr: string }[] {
  const { groups } = readYaml(`${PROMETHEUS}/rules/property-finance.yml`) as {
    groups: { rules: { alert: string; expr: string }[] }[];
  };
  return groups.flatMap(({ rules }) => rules);
}

export function readDashboards(): readonly Dashboard[] {
  const folder = 'deploy/grafana/dashboards';
  return readdirSync(folder).map((name) => {
    const file = join(folder, name);
    return { file, ...(JSON.parse(readFileSync(file, 'utf8')) as Omit<Dashboard, 'file'>) };
  });
}

/** The expression of a variable such as `label_values(EXPRESSION, label)`. */
export function labelValues(query: string): { expression: string; label: string } | undefined {
  const [, expression, label] = /^label_values\((.+), (\w+)\)$/.exec(query) ?? [];
  return expression === undefined || label === undefined ? undefined : { expression, label };
}
