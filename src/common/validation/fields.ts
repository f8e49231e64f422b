import type { Type } from '@nestjs/common';
import { getMetadataStorage, IS_OPTIONAL, validateSync } from 'class-validator';
import type { Shape } from '../json/json-parser.js';
import { validationFailed } from '../problems/problem.js';
import { type Checked, Fault, KeepsRule, Shown } from './field.js';
import type { Schema } from './schema.js';

/** A field of a request, as its decorators declare it. */
interface RequestField extends Partial<Checked> {
  /** The fields of the objects in a list. */
  readonly shape: Shape | undefined;
  /** The value of a field that is left out; undefined when it is required. */
  readonly fallback: unknown;
}

type Fields = ReadonlyMap<string, RequestField>;
type SomeFields = Iterable<readonly [name: string, field: RequestField]>;

export function fieldsOf(type: Type): readonly string[] {
  const names: unknown = Reflect.getMetadata('swagger/apiModelPropertiesArray', type.prototype as object);
  return ((names ?? []) as string[]).map((name) => name.slice(1)); // after a colon
}

/** What the API document says of a field. */
export function schemaOf(type: Type, name: string): Schema {
  return Reflect.getMetadata('swagger/apiModelProperties', type.prototype as object, name) as Schema;
}

const KNOWN = new WeakMap<Type, Fields>();

export function declaredFields(type: Type): Fields {
  const known = KNOWN.get(type);
  if (known !== undefined) return known;
  const metadata = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const declared = (field: string): RequestField => {
    const own = metadata.filter(({ propertyName }) => propertyName === field);
    const keeper = own.find(({ constraintCls }) => constraintCls === KeepsRule);
    const [check] = (keeper?.constraints ?? []) as [Checked?];
    const optional = own.find(({ name }) => name === IS_OPTIONAL);
    const { fallback } = (optional?.context ?? {}) as { fallback?: unknown };
    return { ...check, shape: check?.items && declaredFields(check.items), fallback };
  };
  const fields = new Map(fieldsOf(type).map((name) => [name, declared(name)]));
  KNOWN.set(type, fields);
  return fields;
}

/** The values of a request's optional fields when they are left out. */
export function defaultsOf<T extends object>(type: Type<T>): Pick<T, keyof T> {
  const optional = [...declaredFields(type)].filter(([, { fallback }]) => fallback !== undefined);
  return Object.fromEntries(optional.map(([name, { fallback }]) => [name, fallback])) as Pick<T, keyof T>;
}

/**
 * Has class-validator judge the fields of an object, all or some, and adds their faults, each after the path. In a valid
 * instance the values of its fields replace the input; absent fields share their fallbacks.
 */
export function validated<T extends object>(
  type: Type<T>,
  source: object,
  faults: Fault,
  path = '',
  fields: SomeFields = declaredFields(type),
): T {
  const members = source as Readonly<Record<string, unknown>>;
  const instance = new type() as Record<string, unknown>; // its fields are slower to read in an Object.create()
  for (const [name] of fields) instance[name] = Object.hasOwn(members, name) ? members[name] : undefined;
  const errors = validateSync(instance, {
    skipMissingProperties: true,
    stopAtFirstError: true,
    forbidUnknownValues: false,
    validationError: { target: false },
  });
  for (const [name, { rule, conversion, fallback }] of fields) {
    const value = instance[name];
    const error = errors.find(({ property }) => property === name);
    if (error !== undefined || (value == null && fallback === undefined)) {
      const [message] = error === undefined ? ['is required'] : Object.values(error.constraints ?? {});
      if (!faults.has(path + name)) faults.add(path + name, message ? Fault.of(message) : rule?.(value));
    } else if (value == null) instance[name] = fallback;
    else if (conversion !== undefined) instance[name] = conversion(value as never);
  }
  return instance as T;
}

/** The query of an operation that refuses every parameter. */
export class NoParameters extends Object {}

/** As {@link validated}, but throws validation-failed. */
export function readFields<T extends object>(type: Type<T>, source: object): T {
  const faults = new Fault();
  const instance = validated(type, source, faults);
  if (faults.size > 0) throw validationFailed(Object.fromEntries(faults));
  return instance;
}

type Schemas = Readonly<Record<string, Parameters<typeof Shown>[0]>>;

/** The base class of a response, with its fields in their order. */
export function responseOf(schemas: Schemas): Type<object> {
  const type = class extends Object {};
  for (const [name, schema] of Object.entries(schemas)) Shown(schema)(type.prototype, name);
  return type;
}

/** Rows that are older than a bound may exceed it. */
const OF_REQUESTS_ALONE = { default: undefined, maxItems: undefined, maxProperties: undefined };

/** The fields of a request as a response has them; null where the request may leave a field out and it has no fallback. */
export function Given<T extends object>(request: Type<T>): Type<T> {
  const given = [...declaredFields(request)].map(([name, { fallback }]) => {
    const schema: Schema = schemaOf(request, name);
    return [name, { ...schema, ...OF_REQUESTS_ALONE, required: true, nullable: fallback === null }] as const;
  });
  return responseOf(Object.fromEntries(given)) as Type<T>;
}
