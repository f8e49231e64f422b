import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, type TransformFnParams } from 'class-transformer';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import { type About, MAX_TEXT_LENGTH, type Schema } from './schema.js';

/** What is wrong with a value: '' or a path below the field (`[1]`, `.key`) → message. */
export class Fault {
  constructor(readonly messages: ReadonlyMap<string, string>) {}

  static of(message: string): Fault {
    return new Fault(new Map([['', message]]));
  }
}

/** Makes the value to keep of the value on the wire, exactly and without coercion, or says what is wrong. */
export interface FieldReader<T> {
  (wire: unknown): T | Fault;
  /** What the API document says of the values that are read. */
  readonly schema: Schema;
}

export function fieldReader<T>(schema: Schema, read: (wire: unknown) => T | Fault): FieldReader<T> {
  return Object.assign(read, { schema });
}

/**
 * A closed box around a value on the wire. class-transformer descends into plain values, where it drops keys
 * (`constructor`), calls constructors and recurses without a bound; into a box it cannot look.
 */
export class Wire {
  readonly #value: unknown;

  constructor(value?: unknown) {
    this.#value = value;
  }

  static open(box: unknown): unknown {
    return box instanceof Wire ? box.#value : undefined;
  }
}

/** A field that must be there; null is not there. */
export function RequiredField<T>(read: FieldReader<T>, about: About = {}): PropertyDecorator {
  return field((wire) => (isAbsent(wire) ? Fault.of('is required') : read(wire)), {
    schema: { ...read.schema, ...about },
    required: true,
    nullable: false,
  });
}

interface AboutOptional<T> extends About {
  /**
   * What the field has when it is missing or null. The schema tells it only of a single value: of a list or an object
   * generated clients make code that does not compile, so that the description has to.
   */
  readonly fallback?: T;
}

/** A field that may be missing or null, and then takes the fallback, which is null unless another is given. */
export function OptionalField<T>(
  read: FieldReader<T>,
  { fallback, ...about }: AboutOptional<T> = {},
): PropertyDecorator {
  const defaults = fallback === undefined || typeof fallback === 'object' ? {} : { default: fallback };
  return field((wire) => (isAbsent(wire) ? (fallback ?? null) : read(wire)), {
    schema: { ...read.schema, ...about, ...defaults },
    required: false,
    nullable: true,
    ...(fallback === undefined ? {} : { fallback }),
  });
}

/** A field of an answer, which is always there, unless it is for some callers only. */
export function Returned(schema: Schema, { sometimes = false } = {}): PropertyDecorator {
  return documented({ schema, required: !sometimes, nullable: schema.nullable ?? false });
}

/**
 * A field of an answer that is as the request had it, and null where nothing else takes the place of a value that
 * was left out.
 */
export function ReturnedFrom(request: Type, schema: Schema = {}): PropertyDecorator {
  return (prototype, name) => {
    const source = declared.get(request.prototype as object)?.get(String(name));
    if (source === undefined) throw new Error(`${request.name} has no field ${String(name)}`);
    const nullable = source.nullable && source.fallback === undefined;
    const given = { ...source.schema, ...schema };
    for (const name of OF_REQUESTS_ALONE) Reflect.deleteProperty(given, name);
    if (given.maxLength === MAX_TEXT_LENGTH) delete given.maxLength;
    documented({ schema: given, required: true, nullable })(prototype, name);
  };
}

/** What was stored before there was such a bound may have more. */
const OF_REQUESTS_ALONE = ['default', 'maxItems', 'maxProperties'];

function isAbsent(wire: unknown): boolean {
  return wire === undefined || wire === null;
}

/** What is known of a field beside how it is read. */
interface Field {
  readonly schema: Schema;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly fallback?: unknown;
}

const declared = new Map<object, Map<string, Field>>();
const names = new Set<string>();
/** What {@link fieldsOf} has found: a class does not change once it is there. */
const known = new WeakMap<Type, readonly string[]>();

/** Whether any class has a field of this name. */
export function isFieldName(name: string): boolean {
  return names.has(name);
}

/** What the API document says of each field that a class declares, in their order. */
export function schemasOf(type: Type): ReadonlyMap<string, Schema> {
  return new Map(declaredBy(type).map(([name, { schema }]) => [name, schema]));
}

/** The fields that a class declares, its ancestors' included. */
export function fieldsOf(type: Type): readonly string[] {
  let fields = known.get(type);
  if (fields === undefined) {
    const parent = Object.getPrototypeOf(type) as Type;
    const inherited = parent.prototype === undefined ? [] : fieldsOf(parent);
    fields = [...inherited, ...declaredBy(type).map(([name]) => name)];
    known.set(type, fields);
  }
  return fields;
}

/** Those that a class itself declares and that must be there. */
export function requiredFieldsOf(type: Type): readonly string[] {
  return declaredBy(type).flatMap(([name, { required }]) => (required ? [name] : []));
}

function declaredBy(type: Type): [string, Field][] {
  return [...(declared.get(type.prototype as object) ?? [])];
}

/** Reads once, in the transformation; the validation then only looks whether that left a fault. */
function field(read: (wire: unknown) => unknown, about: Field): PropertyDecorator {
  return applyDecorators(
    documented(about),
    Transform(({ obj, key }: TransformFnParams) => read(Wire.open((obj as Record<string, unknown>)[key]))),
    ValidateBy({
      name: 'readable',
      validator: {
        validate: (value: unknown) => !(value instanceof Fault),
        defaultMessage: (args?: ValidationArguments) =>
          [...(args?.value as Fault).messages.values()].join('; '),
      },
    }),
  );
}

function documented(field: Field): PropertyDecorator {
  const { schema, required, nullable } = field;
  const { example, ...rest } = schema;
  const examples = example === undefined ? {} : { examples: [example] };
  // `required` of the schema itself lists what an object must have; @nestjs/swagger asks for the field's apart.
  const presence = { required: schema.required ?? required, selfRequired: required, nullable };
  return (prototype, name) => {
    names.add(String(name));
    declared.set(prototype, (declared.get(prototype) ?? new Map<string, Field>()).set(String(name), field));
    ApiProperty({ ...rest, ...examples, ...presence } as ApiPropertyOptions)(prototype, name);
  };
}
