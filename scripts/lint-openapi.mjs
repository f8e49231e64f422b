// npm run lint:openapi: holds openapi.json to Redocly's strict rules and to those below; a warning fails, too.
import { join } from 'node:path';
import { createConfig, lint } from '@redocly/openapi-core';
import { root } from './lib/project.mjs';

const STRICT = [
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
  'generators/scalar-default',
  'generators/schema-named-unlike-values',
];

// OpenAPI allows what these refuse, but each once made code of openapi-python-client, openapi-generator or oapi-codegen
// that did not compile or left operations out.
const generators = {
  id: 'generators',
  rules: { oas3: { 'scalar-default': scalarDefault, 'schema-named-unlike-values': schemaNamedUnlikeValues } },
};
/** A format gives the field a type of the language (an instant, a UUID), to which no regular expression applies. */
const noPatternBesideFormat = {
  subject: { type: 'Schema' },
  assertions: { mutuallyExclusive: ['format', 'pattern'] },
};

const rules = {
  ...Object.fromEntries(STRICT.map((rule) => [rule, 'error'])),
  'rule/no-pattern-beside-format': noPatternBesideFormat,
};
const config = await createConfig({ extends: ['recommended-strict'], rules, plugins: [generators] });
const problems = await lint({ ref: process.argv[2] ?? join(root, 'openapi.json'), config });
for (const { ruleId, message, location } of problems)
  process.stderr.write(`${location[0]?.pointer ?? ''} ${ruleId}: ${message}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** A list or an object as a default is no literal that a generator knows how to write. */
function scalarDefault() {
  return {
    Schema({ default: value }, { report, location }) {
      if (typeof value !== 'object' || value === null) return;
      report({ message: 'A default is a single value.', location: location.child('default') });
    },
  };
}

/** Go has the values of enumerations beside the types of the schemas, in one namespace, whatever their case. */
function schemaNamedUnlikeValues() {
  const folded = (name) =>
    String(name)
      .replaceAll(/[^A-Za-z0-9]/g, '')
      .toLowerCase();
  const values = new Set();
  let names = {};
  return {
    Root: {
      leave(_, { report, location }) {
        for (const name of Object.keys(names))
          if (values.has(folded(name)))
            report({ message: `${name} is also a value of an enumeration.`, location: location.child(name) });
      },
    },
    NamedSchemas: (named) => void (names = named),
    Schema: (schema) => void schema.enum?.forEach((value) => values.add(folded(value))),
  };
}
