// npm run client:types: writes clients/typescript/src/generated anew from openapi.json; --check only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';
import { root } from './lib/project.mjs';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

const HEADER = '// Generated from openapi.json by scripts/client-types.mjs: do not edit.\n';
const PROBLEM_JSON = 'application/problem+json';
const PROBLEM_TYPE = 'urn:property-finance:problem:';

/** What the generator writes out although it tells a reader and the compiler nothing. */
const NOTHING_TO_SAY = [
  /^export type \w+ = components\['(?!schemas)[^;]*;\n/gm,
  /^ +(?!content)\w+\?: never;\n/gm, // a method that the path does not have, parameters in a place that has none
  /^ +parameters: \{\s+\};\n/gm,
  /^ +headers: \{\s+\[name: string\]: unknown;\s+\};\n/gm,
];

const folder = join(root, 'clients/typescript/src/generated');
const document = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'));
const { paths, components } = document;
const { schemas } = components;

const files = {
  'schema.ts': await schemaTypes(),
  'fields.ts': fieldNames(),
  'problems.ts': problemTable(),
  'public-paths.ts': publicPaths(),
};
const stale = [];
for (const [name, text] of Object.entries(files)) {
  const file = join(folder, name);
  const wanted = await format(HEADER + text, { ...(await resolveConfig(file)), parser: 'typescript' });
  if (values.check) {
    if (readFileSync(file, 'utf8') !== wanted) stale.push(name);
  } else writeFileSync(file, wanted);
}
if (stale.length > 0) {
  console.error(`${stale.join(', ')}: not what openapi.json gives; run node scripts/client-types.mjs`);
  process.exit(1);
}

/** The types of openapi-typescript, with names of their own for what a number cannot hold. */
async function schemaTypes() {
  const inRequests = schemasOfRequests();
  const nodes = await openapiTS(withoutExamples(), {
    alphabetize: true,
    defaultNonNullable: false, // what has a default may be left out
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    silent: true,
    transform(schema, { path = '' }) {
      const type = isInt64(schema) ? 'Int64' : isDecimal(schema) ? 'Decimal' : undefined;
      if (type === undefined || typeof schema.type !== 'string') return undefined;
      const [, , , name] = path.split('/');
      const isInput = !path.startsWith('#/components/schemas/') || inRequests.has(name);
      return ts.factory.createTypeReferenceNode(isInput ? `${type}Input` : type);
    },
  });
  const types = "import type { Decimal, DecimalInput, Int64, Int64Input } from '../exact-types.js';\n";
  const text = NOTHING_TO_SAY.reduce((rest, lines) => rest.replace(lines, ''), astToString(nodes));
  return `/* eslint-disable -- in the form that the generator gives it */\n${types}\n${text}`;
}

/** The document without examples of whole bodies and without headers: the types would only be longer by them. */
function withoutExamples() {
  const copy = JSON.parse(JSON.stringify(document));
  const operations = Object.values(copy.paths).flatMap((path) => Object.values(path));
  const responses = [...operations, copy.components].flatMap(({ responses }) => Object.values(responses));
  for (const response of responses) delete response.headers;
  for (const { content = {} } of [...responses, ...operations.map(({ requestBody = {} }) => requestBody)])
    for (const body of Object.values(content)) {
      delete body.example;
      delete body.examples;
    }
  delete copy.components.headers;
  return copy;
}

/** The names of all schemas that a request is made of; none of them may be in a response too. */
function schemasOfRequests() {
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const sent = new Set(operations.flatMap(({ requestBody }) => referencesIn(requestBody)));
  const received = new Set(
    operations.flatMap(({ responses }) => referencesIn(responses)).concat(referencesIn(components.responses)),
  );
  for (const name of sent)
    if (received.has(name) && propertiesOf(schemas[name]).some(([, field]) => isExact(field)))
      throw new Error(`${name} is sent and received: its numbers would need two types`);
  return sent;
}

function referencesIn(part, found = new Set()) {
  JSON.stringify(part ?? null, (key, value) => {
    const name = key === '$ref' ? value.match(/^#\/components\/schemas\/(.+)$/)?.[1] : undefined;
    if (name !== undefined && !found.has(name)) {
      found.add(name);
      referencesIn(schemas[name], found);
    }
    return value;
  });
  return [...found];
}

/** The names of the fields whose numbers are exact, and of the objects with names of somebody else's choice. */
function fieldNames() {
  const properties = Object.values(schemas).flatMap((schema) => propertiesOf(schema));
  const namesWhere = (test) => new Set(properties.filter(([, schema]) => test(schema)).map(([name]) => name));
  const inexact = namesWhere((schema) => isNumber(schema) && !isExact(schema));
  for (const name of namesWhere(isExact))
    if (inexact.has(name)) throw new Error(`${name} is exact in one schema and not in another`);
  const list = (description, constant, test) =>
    `/** ${description} */\nexport const ${constant}: ReadonlySet<string> = new Set(${JSON.stringify([...namesWhere(test)].sort())});\n`;
  return [
    list('Integers of 64 bits.', 'INT64_FIELDS', isInt64),
    list('Exact decimals.', 'DECIMAL_FIELDS', isDecimal),
    list('Objects whose names anybody may choose.', 'OPEN_OBJECTS', (it) => Boolean(it.additionalProperties)),
  ].join('\n');
}

function isExact(schema) {
  return isInt64(schema) || isDecimal(schema);
}

function isInt64({ format }) {
  return format === 'int64';
}

/** An int32 is the one kind of number that JavaScript holds exactly. */
function isDecimal({ type }) {
  return [type].flat().includes('number');
}

function isNumber({ type }) {
  return [type].flat().some((name) => name === 'integer' || name === 'number');
}

/** The fields of a schema with those of the objects that are written out in it. */
function propertiesOf({ properties = {}, allOf = [] }) {
  const own = Object.entries(properties);
  return [...own, ...[...own.map(([, inner]) => inner), ...allOf].flatMap((inner) => propertiesOf(inner))];
}

/** Slug → status, title, and the fields that this problem has beyond what all have. */
function problemTable() {
  const examples = Object.values(components.responses).flatMap(({ content }) =>
    Object.entries(content[PROBLEM_JSON].examples),
  );
  const known = new Map(examples.map(([slug, { value }]) => [slug, value]));
  const problems = Object.values(schemas)
    .map(({ allOf = [] }) => allOf.find(({ properties }) => properties?.type?.enum !== undefined))
    .filter((schema) => schema !== undefined)
    .map(({ properties, required = [] }) => [properties.type.enum[0].slice(PROBLEM_TYPE.length), required])
    .map(([slug, required]) => {
      const { status, title } = known.get(slug);
      return [
        slug,
        { status, title, has: required.filter((field) => !schemas.Problem.required.includes(field)) },
      ];
    })
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `/** The problems by slug: their status, their title, and what they have beyond what all have. */
export const PROBLEMS = ${JSON.stringify(Object.fromEntries(problems))} as const;\n`;
}

function publicPaths() {
  const open = Object.entries(paths)
    .filter(([, path]) => Object.values(path).every(({ security }) => security?.length === 0))
    .map(([path]) => path);
  return `/** What can be called without a token. */
export const PUBLIC_PATHS = ${JSON.stringify(open.sort())} as const;\n`;
}
