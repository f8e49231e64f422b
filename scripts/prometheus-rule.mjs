// npm run deploy:rules: the rules of deploy/prometheus as the Prometheus Operator takes them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dump, load } from 'js-yaml';
import { readOptions } from './lib/command.mjs';
import { root } from './lib/project.mjs';

readOptions(`Usage: npm run deploy:rules

Writes deploy/kubernetes/components/monitoring/prometheusrule.yaml anew from deploy/prometheus/rules.

  --help, -h  this

Example: npm run deploy:rules

Exit codes: 0 written, 1 it failed, 2 called wrongly.
`);

const rules = load(readFileSync(join(root, 'deploy/prometheus/rules/property-finance.yml'), 'utf8'));
const resource = {
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PrometheusRule',
  metadata: { name: 'property-finance' },
  spec: rules,
};
const target = join(root, 'deploy/kubernetes/components/monitoring/prometheusrule.yaml');
const head = '# Made from deploy/prometheus/rules by npm run deploy:rules; a test holds the two together.\n';
writeFileSync(target, head + dump(resource, { lineWidth: -1 }));
