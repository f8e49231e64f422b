import { element } from './dom.js';
import { inline } from './markdown.js';
import { resolve } from './operations.js';

const NAMES = {
  int64: '64-bit integer',
  int32: '32-bit integer',
  'date-time': 'date-time',
  uuid: 'UUID',
  uri: 'URI',
};
const INT32_MAX = 2147483647;

/** The fields of a schema, each with its type, limits, allowed values and description. */
export function fieldList(openapi, node, { ofRequest = false } = {}) {
  const schema = flatten(openapi, node);
  const { properties, required = [] } = elementOf(openapi, schema);
  if (properties === undefined) return element('p.type', describe(openapi, schema));
  const entries = Object.entries(properties).map(([name, property]) => [
    element('dt', term(openapi, name, property, ofRequest && required.includes(name), ofRequest)),
    element('dd', definition(openapi, flatten(openapi, property), ofRequest)),
  ]);
  return element('dl.fields', entries);
}

/** The name of a field, its type, and whether it is required. */
export function term(openapi, name, schema, isRequired, ofRequest = false) {
  const type = element('span.type', describe(openapi, schema, { ofRequest }));
  return [element('code', name), type, isRequired && element('span.required', 'required')];
}

function definition(openapi, schema, ofRequest) {
  const one = elementOf(openapi, schema);
  const nested = one.properties && fieldList(openapi, one, { ofRequest });
  return [schema.description && element('p', inline(schema.description)), choices(one), nested];
}

function elementOf(openapi, schema) {
  return schema.type === 'array' ? flatten(openapi, schema.items) : schema;
}

/** The type and the limits of a value, in words. */
export function describe(openapi, node, { ofRequest = false } = {}) {
  const schema = flatten(openapi, node);
  const orNull = schema.isNullable && !ofRequest ? ' or null' : ''; // in a request null and absent are the same
  return [typeOf(openapi, schema) + orNull, ...limits(schema), defaultOf(schema)].filter(Boolean).join(' · ');
}

/** The values that a text may have, where the schema counts them up. */
export function choices(schema) {
  const values = (schema.enum ?? wordsOf(schema.pattern)).filter((value) => value !== null);
  const words = values.map((value) => element('code', String(value)));
  return words.length === 0 ? undefined : element('p.choices', words);
}

/** A schema with its references and combinations resolved into one object; a choice with null is nullable. */
export function flatten(openapi, node) {
  const { allOf = [], anyOf = [], oneOf = [], ...own } = resolve(openapi, node) ?? {};
  const parts = [...allOf, ...[...anyOf, ...oneOf].filter(({ type }) => type !== 'null')];
  const flat = Object.assign(
    {},
    ...parts.slice(0, allOf.length || 1).map((part) => flatten(openapi, part)),
    own,
  );
  const types = [flat.type].flat();
  const isNullable = flat.isNullable || types.includes('null') || anyOf.some(({ type }) => type === 'null');
  return { ...flat, type: types.find((type) => type !== 'null'), isNullable };
}

function typeOf(openapi, { type = 'any', format, items, additionalProperties }) {
  if (type === 'array') return `list of ${plural(flatten(openapi, items))}`;
  if (typeof additionalProperties === 'object')
    return `object of ${plural(flatten(openapi, additionalProperties))}`;
  return NAMES[format] ?? (type === 'number' ? 'decimal number' : type);
}

function plural({ type = 'value', maxLength }) {
  return `${type}s${maxLength === undefined ? '' : ` of at most ${count(maxLength)} characters`}`;
}

function limits(schema) {
  const { minLength, maxLength, minimum, maximum, multipleOf, maxItems, maxProperties } = schema;
  const isAny = schema.format === 'int32' && maximum === INT32_MAX;
  return [
    range(minLength, maxLength, ' characters'),
    range(minimum, isAny ? undefined : maximum),
    multipleOf === 0.01 && 'at most 2 decimal places',
    maxItems && `at most ${count(maxItems)} elements`,
    maxProperties && `at most ${count(maxProperties)} members`,
  ];
}

function range(least, most, unit = '') {
  if (least === undefined && most === undefined) return '';
  if (least === undefined) return `at most ${count(most)}${unit}`;
  return most === undefined ? `at least ${count(least)}${unit}` : `${count(least)} to ${count(most)}${unit}`;
}

function count(number) {
  return number.toLocaleString('en', { maximumFractionDigits: 2 });
}

function defaultOf({ default: value }) {
  return value === undefined ? '' : `default ${JSON.stringify(value)}`;
}

/** The words of a pattern that only lists words, in any letter case. Other patterns are not shown. */
function wordsOf(pattern = '') {
  const plain = pattern.replace(/\[(\w)\w\]/g, '$1');
  return /^\^\((\w+(?:\|\w+)*)\)/.exec(plain)?.[1].split('|') ?? [];
}
