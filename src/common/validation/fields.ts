import type { Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import type { Shape } from '../json/json-parser.js';
import { MAX_FIELD_ERRORS, validationFailed } from '../problems/problem.js';
import type { Schema } from './schema.js';

/** The faults of a value: '' or a path below the field (`[1]`, `.key`) → message. */
export class Fault extends Map<string, string> {
  static of(message: string): Fault {
    return new Fault([['', message]]);
  }

  /** Whether as many have been found as are told. No further ones are looked for. */
  get isFull(): boolean {
    return this.size >= MAX_FIELD_ERRORS;
  }

  /** Adds the faults of a part. */
  add(path: string, part: Fault): void {
    for (const [below, message] of part) if (!this.isFull) this.set(path + below, message);
  }
}

/** Reads an input, exactly and without coercion, or says what is wrong. */
export interface FieldReader<T> {
  (input: unknown): T | Fault;
  /** What the API document says of the values that are read. */
  readonly schema: Schema;
  /** The members that are read of objects in the input; all of them without it. */
  readonly shape?: Shape | undefined;
}

export function fieldReader<T>(
  schema: Schema,
  read: (input: unknown) => T | Fault,
  shape?: Shape,
): FieldReader<T> {
  return Object.assign(read, { schema, shape });
}

/** Reads texts. The message is the fault of any other input, and of a text that is undefined when it is read. */
export function textReader<T>(
  schema: Schema,
  message: string,
  read: (text: string) => T | undefined,
): FieldReader<T> {
  return fieldReader(
    schema,
    (input) => (typeof input === 'string' ? read(input) : undefined) ?? Fault.of(message),
  );
}

/** A field of a request, whose value has the type, or of a response, which is never read. */
export interface Field<T = unknown> extends Pick<FieldReader<T>, 'schema' | 'shape'> {
  readonly read?: (input: unknown) => T | Fault;
  readonly required: boolean;
}

/** The words about a field; `default` is the meaning of one that is left out, where it differs from the same value given. */
type About = Pick<Schema, 'description' | 'example' | 'default'>;
/** And its value when it is missing or null. */
type WithFallback<T> = About & { readonly fallback: T };

/** A field that must be there; null is not there. */
export function required<T>(read: FieldReader<T>, about: About = {}): Field<T> {
  return {
    read: (input) => (input == null ? Fault.of('is required') : read(input)),
    schema: { ...read.schema, ...about },
    shape: read.shape,
    required: true,
  };
}

/** A field that may be missing or null, and then takes the fallback, which is null unless another is given. */
export function optional<T>(read: FieldReader<T>, about: WithFallback<NoInfer<T>>): Field<T>;
export function optional<T>(read: FieldReader<T>, about?: About): Field<T | null>;
export function optional<T>(read: FieldReader<T>, about: Partial<WithFallback<T>> = {}): Field<T | null> {
  const { fallback, ...others } = about;
  // Of a single value alone: with that of a list or an object generated clients would not compile.
  const defaults = fallback === undefined || typeof fallback === 'object' ? {} : { default: fallback };
  return {
    read: (input) => (input == null ? (fallback ?? null) : read(input)),
    schema: { ...read.schema, ...others, ...defaults, nullable: true },
    shape: read.shape,
    required: false,
  };
}

type Fields = Readonly<Record<string, Field>>;
type Schemas = Readonly<Record<string, Schema>>;

/** The object that a request with these fields is read into. */
export type ValuesOf<Declared> = {
  [Name in keyof Declared]: Declared[Name] extends Field<infer T> ? T : never;
};

const FIELDS = Symbol('fields');

/** The base class of a request or a query, with its fields in their order. */
export function requestOf<Declared extends Fields>(fields: Declared): Type<ValuesOf<Declared>> {
  const type = class extends Object {
    static readonly [FIELDS] = new Map(Object.entries(fields));
  };
  for (const [name, field] of type[FIELDS]) {
    const { example, nullable = false, ...schema } = field.schema;
    const examples = example === undefined ? {} : { examples: [example] };
    // `required` of the schema itself lists an object's members; @nestjs/swagger takes the field's own apart.
    const presence = { required: schema.required ?? field.required, selfRequired: field.required, nullable };
    ApiProperty({ ...schema, ...examples, ...presence } as ApiPropertyOptions)(type.prototype, name);
  }
  return type as Type<unknown> as Type<ValuesOf<Declared>>;
}

/** The base class of a response, with its fields in their order; those for some callers only come last. */
export function responseOf(schemas: Schemas, sometimes: Schemas = {}): Type<object> {
  const fields: Record<string, Field> = {};
  for (const [name, schema] of Object.entries({ ...schemas, ...sometimes }))
    fields[name] = { schema, required: name in schemas };
  return requestOf(fields);
}

/**
 * The schemas of a request's fields as a response has them; null where the request may leave a field out and it has no
 * fallback.
 */
export function givenIn<T extends object>(request: Type<T>): Readonly<Record<keyof T & string, Schema>> {
  const given = [...declaredFields(request)].map(([name, { schema, read }]) => [
    name,
    { ...schema, ...OF_REQUESTS_ALONE, nullable: read?.(undefined) === null },
  ]);
  return Object.fromEntries(given) as Record<keyof T & string, Schema>;
}

/** Rows that are older than such a bound may have more. */
const OF_REQUESTS_ALONE = { default: undefined, maxItems: undefined, maxProperties: undefined };

/** The fields that a class declares, in their order. */
export function declaredFields(type: Type): ReadonlyMap<string, Field> {
  return (type as { [FIELDS]?: ReadonlyMap<string, Field> })[FIELDS] ?? new Map<string, Field>();
}

/** The names of {@link declaredFields}. */
export function fieldsOf(type: Type): readonly string[] {
  return [...declaredFields(type).keys()];
}

/** A request that leaves out all optional fields. The required ones are missing. */
export function defaultsOf<T extends object>(type: Type<T>): Pick<T, keyof T> {
  const optional = [...declaredFields(type)].filter(([, { required }]) => !required);
  const defaults = optional.map(([name, { read }]) => [name, read?.(undefined)]);
  return Object.fromEntries(defaults) as Pick<T, keyof T>;
}

/**
 * Reads the declared fields of `type` from a JSON object or a query, or names every field at fault, behind the path. The
 * result is read-only: absent fields share their fallbacks.
 */
export function readObject<T extends object>(type: Type<T>, source: object, path = ''): T | Fault {
  const members = source as Readonly<Record<string, unknown>>;
  const instance = new type() as Record<string, unknown>; // its fields are slower to read in an Object.create()
  let faults: Fault | undefined;
  for (const [name, { read }] of declaredFields(type)) {
    const value = read?.(Object.hasOwn(members, name) ? members[name] : undefined);
    if (value instanceof Fault) (faults ??= new Fault()).add(path + name, value);
    else instance[name] = value;
  }
  return faults ?? (instance as T);
}

/** As {@link readObject}, but throws validation-failed, also for faults that were found before. */
export function readFields<T extends object>(type: Type<T>, source: object, before?: Fault): T {
  const instance = readObject(type, source);
  if (!(instance instanceof Fault) && !before?.size) return instance;
  const faults = instance instanceof Fault ? [...instance] : [];
  throw validationFailed(Object.fromEntries([...faults, ...(before ?? [])]));
}
