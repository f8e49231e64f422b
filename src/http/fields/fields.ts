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

/** A field that must be there; null is not there. */
export function RequiredField<T>(read: FieldReader<T>, about: About = {}): PropertyDecorator {
  return declared({
    read: (input) => (isAbsent(input) ? Fault.of('is required') : read(input)),
    schema: { ...read.schema, ...about },
    required: true,
    nullable: false,
  });
}

interface AboutOptional<T> extends About {
  /**
   * The value of a field that is missing or null. The schema has it for a single value only: for a list or an object
   * generated clients would not compile, so the description has to say it.
   */
  readonly fallback?: T;
}

/** A field that may be missing or null, and then takes the fallback, which is null unless another is given. */
export function OptionalField<T>(
  read: FieldReader<T>,
  { fallback, ...about }: AboutOptional<T> = {},
): PropertyDecorator {
  const defaults = fallback === undefined || typeof fallback === 'object' ? {} : { default: fallback };
  return declared({
    read: (input) => (isAbsent(input) ? (fallback ?? null) : read(input)),
    schema: { ...read.schema, ...about, ...defaults },
    required: false,
    nullable: true,
    ...(fallback === undefined ? {} : { fallback }),
  });
}

/** A field of a response, which is always there, unless it is for some callers only. */
export function Returned(schema: Schema, { sometimes = false } = {}): PropertyDecorator {
  return declared({ schema, required: !sometimes, nullable: schema.nullable ?? false });
}

/**
 * A field of a response as the request had it; null where the request may leave it out and it has no fallback.
 */
export function ReturnedFrom(request: Type, schema: Schema = {}): PropertyDecorator {
  return (prototype, name) => {
    const source = declaredFields(request).get(String(name));
    if (source === undefined) throw new Error(`${request.name} has no field ${String(name)}`);
    const nullable = source.nullable && source.fallback === undefined;
    const given = { ...source.schema, ...schema };
    for (const name of OF_REQUESTS_ALONE) Reflect.deleteProperty(given, name);
    declared({ schema: given, required: true, nullable })(prototype, name);
  };
}

/** What was stored before there was such a bound may have more. */
const OF_REQUESTS_ALONE = ['default', 'maxItems', 'maxProperties'];

function isAbsent(input: unknown): boolean {
  return input === undefined || input === null;
}

interface Field {
  /** Undefined for a field of a response, which is never read. */
  readonly read?: (input: unknown) => unknown;
  readonly schema: Schema;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly fallback?: unknown;
}

type Fields = ReadonlyMap<string, Field>;

/** By prototype of the class; a class without fields of its own is not there. */
const declarations = new WeakMap<object, Map<string, Field>>();

/** The fields that a class declares, its ancestors' first. */
export function declaredFields(type: Type): Fields {
  return fieldsOn(type.prototype as object);
}

function fieldsOn(prototype: object | null): Fields {
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
