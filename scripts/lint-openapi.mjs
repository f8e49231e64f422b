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
];

// OpenAPI allows what these refuse, but each once made code of a generator in clients/README.md that did not compile, left
// operations out, or refused what the service takes or answers.
const GENERATORS = {
  'scalar-default': scalarDefault,
  'schema-named-unlike-values': schemaNamedUnlikeValues,
  'schema-named-unlike-constructor': schemaNamedUnlikeConstructor,
  'values-named-once': valuesNamedOnce,
  'no-null-value': noNullValue,
  'one-value-decides': oneValueDecides,
  'portable-pattern': portablePattern,
  'known-format': knownFormat,
};
const generators = { id: 'generators', rules: { oas3: GENERATORS } };
const FORMATS = ['int32', 'int64', 'date', 'date-time', 'uuid', 'uri', 'uri-reference'];
/** A format gives the field a type of the language (an instant, a UUID), to which no regular expression applies. */
const noPatternBesideFormat = {
  subject: { type: 'Schema' },
  assertions: { mutuallyExclusive: ['format', 'pattern'] },
};
/** C# validates it inverted. */
const noExclusiveBound = {
  subject: { type: 'Schema' },
  assertions: { disallowed: ['exclusiveMaximum', 'exclusiveMinimum'] },
};

const rules = {
  ...Object.fromEntries(STRICT.map((rule) => [rule, 'error'])),
  ...Object.fromEntries(Object.keys(GENERATORS).map((rule) => [`generators/${rule}`, 'error'])),
  'rule/no-pattern-beside-format': noPatternBesideFormat,
  'rule/no-exclusive-bound': noExclusiveBound,
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

/** The constructor of a schema `Key` is `NewKey` in Go, beside the types. */
function schemaNamedUnlikeConstructor() {
  return {
    NamedSchemas(schemas, { report, location }) {
      for (const name of Object.keys(schemas))
        if (`New${name}` in schemas)
          report({
            message: `New${name} is also what makes a ${name}.`,
            location: location.child(`New${name}`),
          });
    },
  };
}

/** A sign makes no name, and Go has the names of all enumerations in one namespace. */
function valuesNamedOnce() {
  const named = new Map();
  return {
    NamedSchemas(schemas, { report, location }) {
      for (const [schema, { enum: values, 'x-enum-varnames': names = values }] of Object.entries(schemas))
        for (const [index, value] of values?.entries() ?? []) {
          const name = String(names[index]).toUpperCase();
          const other = /^[A-Z]\w*$/.test(name) ? named.get(name) : 'a sign';
          if (other) report({ message: `${value} is also ${other}.`, location: location.child(schema) });
          named.set(name, `a value of ${schema}`);
        }
    },
  };
}

/** openapi-zod-client writes null among the texts of an enumeration; a choice of two schemas is understood by all. */
function noNullValue() {
  return {
    Schema({ enum: values = [] }, { report, location }) {
      if (values.includes(null))
        report({ message: 'An enumeration has no null.', location: location.child('enum') });
    },
  };
}

/**
 * PHP refuses a response in which a member of a union has a value of its own beside the one that decides; Rust takes that
 * one out of the member, where it must not be required then.
 */
function oneValueDecides() {
  let schemas = {};
  const unions = [];
  const ownValues = ({ properties = {}, allOf = [] }) => [
    ...Object.keys(properties).filter((name) => properties[name].enum?.length === 1),
    ...allOf.flatMap(ownValues),
  ];
  const requires = ({ $ref, required = [], allOf = [] }, name) =>
    required.includes(name) ||
    [...allOf, ...($ref ? [schemas[$ref.split('/').at(-1)]] : [])].some((part) => requires(part, name));
  return {
    Root: {
      leave(_, { report, location }) {
        for (const { oneOf, discriminator } of unions)
          for (const member of oneOf.map(({ $ref }) => $ref.split('/').at(-1))) {
            if (requires(schemas[member], discriminator?.propertyName))
              report({ message: `${member} requires what decides.`, location: location.child('components') });
            for (const name of ownValues(schemas[member]))
              if (name !== discriminator?.propertyName)
                report({ message: `${member} has one ${name}.`, location: location.child('components') });
          }
      },
    },
    NamedSchemas: (named) => void (schemas = named),
    Schema: (schema) => void (schema.oneOf && unions.push(schema)),
  };
}

/** PCRE, RE2 and others know neither \\u0000 nor \\p{…}, and no look-around. */
function portablePattern() {
  return {
    Schema({ pattern = '' }, { report, location }) {
      if (/\\[upP]|\(\?/.test(pattern))
        report({ message: `${pattern} is no pattern for all.`, location: location.child('pattern') });
    },
  };
}

/** Generators warn of others at every run. */
function knownFormat() {
  return {
    Schema({ format }, { report, location }) {
      if (format !== undefined && !FORMATS.includes(format))
        report({ message: `${format} is unknown to generators.`, location: location.child('format') });
    },
  };
}
