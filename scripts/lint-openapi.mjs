// npm run lint:openapi: holds openapi.json to Redocly's strict rules and to some more; a warning fails, too.
import { join } from 'node:path';
import { createConfig, lint } from '@redocly/openapi-core';
import { readOptions } from './lib/command.mjs';
import { root } from './lib/project.mjs';

readOptions(`Usage: npm run lint:openapi

Holds openapi.json to Redocly's strict rules and to some more; a warning fails, too.

  --help, -h  this

Example: npm run lint:openapi

Exit codes: 0 nothing was found, 1 something was, 2 called wrongly.
`);

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
  ].map((rule) => [rule, 'error']),
);
const config = await createConfig({ extends: ['recommended-strict'], rules });
const problems = await lint({ ref: join(root, 'openapi.json'), config });
for (const { ruleId, message, location } of problems)
  process.stderr.write(`${location[0]?.pointer ?? ''} ${ruleId}: ${message}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
