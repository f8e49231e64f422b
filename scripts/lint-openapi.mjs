// npm run lint:openapi: holds openapi.json to Redocly's strict rules and to some more; a warning fails, too.
import { join, resolve } from 'node:path';
import { createConfig, lint } from '@redocly/openapi-core';
import { readOptions } from './lib/command.mjs';
import { GENERATOR_RULES } from './lib/generator-rules.mjs';
import { root } from './lib/project.mjs';

const HELP = `Usage: npm run lint:openapi -- [--file FILE]

Holds openapi.json to Redocly's strict rules, and to what generators of clients need; a warning fails, too.

  --file FILE  another document
  --help, -h   this

Example: npm run lint:openapi

Exit codes: 0 nothing was found, 1 something was, 2 called wrongly.
`;
const { file = join(root, 'openapi.json') } = readOptions(HELP, { file: { type: 'string' } });

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
const problems = await lint({ ref: resolve(file), config });
for (const { ruleId, message, location } of problems)
  process.stderr.write(`${location[0]?.pointer ?? ''} ${ruleId}: ${message}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
