// npm run lint:openapi: holds openapi.json to Redocly's strict rules and to some more; a warning fails, too.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createConfig, lint } from '@redocly/openapi-core';
import { GENERATOR_RULES } from './lib/generator-rules.mjs';
import { root } from './lib/project.mjs';

const { values } = parseArgs({ options: { file: { type: 'string', default: join(root, 'openapi.json') } } });
const rules = Object.fromEntries(
  [
    'array-parameter-serialization',
    'component-name-unique',
    'no-invalid-media-type-examples',
    'no-invalid-parameter-examples',
    'no-invalid-schema-examples',
    'no-required-schema-properties-undefined',
    'operation-description',
    'operation-singular-tag',
    'parameter-description',
    'tag-description',
    ...Object.keys(GENERATOR_RULES.rules.oas3).map((rule) => `${GENERATOR_RULES.id}/${rule}`),
  ].map((rule) => [rule, 'error']),
);
const config = await createConfig({ extends: ['recommended-strict'], rules, plugins: [GENERATOR_RULES] });
const problems = await lint({ ref: resolve(values.file), config });
for (const { ruleId, message, location } of problems)
  process.stderr.write(`${location[0]?.pointer ?? ''} ${ruleId}: ${message}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
