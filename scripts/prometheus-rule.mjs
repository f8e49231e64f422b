// npm run deploy:rules: the rules of deploy/prometheus, with links if wanted, also as the Prometheus Operator takes them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dump, load } from 'js-yaml';
import { readOptions } from './lib/command.mjs';
import { root } from './lib/project.mjs';

const { runbooks } = readOptions(
  `Usage: npm run deploy:rules [-- --runbooks URL]

Writes deploy/kubernetes/components/monitoring/prometheusrule.yaml anew from deploy/prometheus/rules.

  --runbooks URL  where your people read docs/operations.md: each alert in both files gets its link,
                  as runbook_url. Without it the alerts have none.
  --help, -h      this

Example: npm run deploy:rules -- --runbooks https://git.example.com/property-finance/docs/operations.md

Exit codes: 0 written, 1 it failed, 2 called wrongly.
`,
  { runbooks: { type: 'string' } },
  ({ runbooks = 'https://x' }) =>
    /^https?:\/\/[^\s'"#]+$/.test(runbooks) ? undefined : '--runbooks takes a URL',
);

const source = join(root, 'deploy/prometheus/rules/property-finance.yml');
const alerts = readFileSync(source, 'utf8')
  .replaceAll(/\n *runbook_url: .*/g, '')
  .replaceAll(/alert: (\w+)\n[^]*?\n( +)summary: .*/g, (alert, name, indent) =>
    runbooks === undefined ? alert : `${alert}\n${indent}runbook_url: ${runbooks}#${name.toLowerCase()}`,
  );
writeFileSync(source, alerts);
const resource = {
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PrometheusRule',
  metadata: { name: 'property-finance' },
  spec: load(alerts),
};
const target = join(root, 'deploy/kubernetes/components/monitoring/prometheusrule.yaml');
const head = '# Made from deploy/prometheus/rules by npm run deploy:rules; a test holds the two together.\n';
writeFileSync(target, head + dump(resource, { lineWidth: -1 }));
