import type { Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import type { About, Schema } from './schema.js';

/** What is wrong with a value: '' or a path below the field (`[1]`, `.key`) → message. */
export class Fault {
  constructor(readonly messages: ReadonlyMap<string, string>) {}

  static of(message: string): Fault {
    return new Fault(new Map([['', message]]));
  }

  /** Adds the messages to those of a whole, in which this value has the path. */
  addTo(messages: Map<string, string>, path: string): void {
    for (const [below, message] of this.messages) messages.set(path + below, message);
  }
}

/** Reads an input, exactly and without coercion, or says what is wrong. */
export interface FieldReader<T> {
  (input: unknown): T | Fault;
  /** What the API document says of the values that are read. */
  readonly schema: Schema;
}

export function fieldReader<T>(schema: Schema, read: (input: unknown) => T | Fault): FieldReader<T> {
  return Object.assign(read, { schema });
}

/** A field of a request, whose value has the type, or of a response, which is never read. */
export interface Field<T = unknown> {
  readonly read?: (input: unknown) => T | Fault;
  readonly schema: Schema;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly fallback?: unknown;
}

/** A field that must be there; null is not there. */
export function required<T>(read: FieldReader<T>, about: About = {}): Field<T> {
  return {
    read: (input) => (isAbsent(input) ? Fault.of('is required') : read(input)),
    schema: { ...read.schema, ...about },
    required: true,
    nullable: false,
  };
}

interface AboutOptional<T> extends About {
  /**
   * The value of a field that is missing or null. The schema has it for a single value only: for a list or an object
   * generated clients would not compile, so the description has to say it.
   */
  readonly fallback: T;
}

/** A field that may be missing or null, and then takes the fallback, which is null unless another is given. */
export function optional<T>(read: FieldReader<T>, about: AboutOptional<NoInfer<T>>): Field<T>;
export function optional<T>(read: FieldReader<T>, about?: About): Field<T | null>;
export function optional<T>(read: FieldReader<T>, about: Partial<AboutOptional<T>> = {}): Field<T | null> {
  const { fallback, ...others } = about;
  const defaults = fallback === undefined || typeof fallback === 'object' ? {} : { default: fallback };
  return {
    read: (input) => (isAbsent(input) ? (fallback ?? null) : read(input)),
    schema: { ...read.schema, ...others, ...defaults },
    required: false,
    nullable: true,
    ...(fallback === undefined ? {} : { fallback }),
  };
}

export type Fields = Readonly<Record<string, Field>>;

/** The object that a request with these fields is read into. */
export type ValuesOf<Declared> = {
  [Name in keyof Declared]: Declared[Name] extends Field<infer T> ? T : never;
};

/** What the class of a request or a query extends: its fields in their order. */
export function requestOf<Declared extends Fields>(
  fields: Declared,
  parent: Type = Object,
): Type<ValuesOf<Declared>> {
  const type = class extends parent {};
  for (const [name, field] of Object.entries(fields)) declared(field)(type.prototype as object, name);
  return type;
}

/** What the class of a response extends: its fields in their order, which are always there. */
export function responseOf(schemas: Readonly<Record<string, Schema>>): Type<object> {
  const type = class extends Object {};
  for (const [name, schema] of Object.entries(schemas)) Returned(schema)(type.prototype, name);
  return type;
}

/** A field of a response, which is always there, unless it is for some callers only. */
export function Returned(schema: Schema, { sometimes = false } = {}): PropertyDecorator {
  return declared({ schema, required: !sometimes, nullable: schema.nullable ?? false });
}

/**
 * The schemas of a request's fields as a response has them; null where the request may leave a field out and it has no
 * fallback.
 */
export function givenIn<T extends object>(request: Type<T>): Readonly<Record<keyof T & string, Schema>> {
  const given = [...declaredFields(request)].map(([name, { schema, nullable, fallback }]) => {
    const returned: Schema = { ...schema, nullable: nullable && fallback === undefined };
    for (const bound of OF_REQUESTS_ALONE) Reflect.deleteProperty(returned, bound);
    return [name, returned];
  });
  return Object.fromEntries(given) as Record<keyof T & string, Schema>;
}

/** What was stored before there was such a bound may have more. */
const OF_REQUESTS_ALONE = ['default', 'maxItems', 'maxProperties'];

function isAbsent(input: unknown): boolean {
  return input === undefined || input === null;
}

/** By prototype of the class; a class without fields of its own is not there. */
const declarations = new WeakMap<object, Map<string, Field>>();

/** The fields that a class declares, its ancestors' first. */
export function declaredFields(type: Type): ReadonlyMap<string, Field> {
  return fieldsOn(type.prototype as object);
}

function fieldsOn(prototype: object | null): ReadonlyMap<string, Field> {
  if (prototype === null) return new Map();
  return declarations.get(prototype) ?? fieldsOn(Object.getPrototypeOf(prototype) as object | null);
}

/** A request that leaves out all optional fields. The required ones are missing. */
export function defaultsOf<T extends object>(type: Type<T>): Pick<T, keyof T> {
  const optional = [...declaredFields(type)].filter(([, { required }]) => !required);
  return Object.fromEntries(optional.map(([name, { read }]) => [name, read?.(undefined)])) as Pick<
    T,
    keyof T
  >;
}

/** The names of {@link declaredFields}, in their order. */
export function fieldsOf(type: Type): readonly string[] {
  return [...declaredFields(type).keys()];
}

function declared(field: Field): PropertyDecorator {
  const { schema, required, nullable } = field;
  const { example, ...rest } = schema;
  const examples = example === undefined ? {} : { examples: [example] };
  // `required` of the schema itself lists an object's members; @nestjs/swagger takes the field's own apart.
  const presence = { required: schema.required ?? required, selfRequired: required, nullable };
  return (prototype, name) => {
    const fields = declarations.get(prototype) ?? new Map(fieldsOn(prototype));
    declarations.set(prototype, fields.set(String(name), field));
    ApiProperty({ ...rest, ...examples, ...presence } as ApiPropertyOptions)(prototype, name);
  };
}
