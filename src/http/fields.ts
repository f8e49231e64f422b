import { applyDecorators } from '@nestjs/common';
import { Expose, Transform, type TransformFnParams } from 'class-transformer';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import { JsonSource } from './json-parser.js';

/** What is wrong with a value: '' or a path below the field (`[1]`, `.key`) → message. */
export class Fault {
  constructor(readonly messages: ReadonlyMap<string, string>) {}

  static of(message: string): Fault {
    return new Fault(new Map([['', message]]));
  }
}

/** Makes the value to keep of the value on the wire, exactly and without coercion, or says what is wrong. */
export type Reader<T> = (wire: unknown) => T | Fault;

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
    if (!(box instanceof Wire)) return undefined;
    return box.#value instanceof JsonSource ? box.#value.read() : box.#value;
  }
}

/** A field that must be there; null is not there. */
export function Required<T>(reader: Reader<T>): PropertyDecorator {
  return field((wire) => (isAbsent(wire) ? Fault.of('is required') : reader(wire)));
}

/** A field that may be missing or null, and then takes the fallback. */
export function Optional<T>(reader: Reader<T>, fallback: T | null = null): PropertyDecorator {
  return field((wire) => (isAbsent(wire) ? fallback : reader(wire)));
}

function isAbsent(wire: unknown): boolean {
  return wire === undefined || wire === null;
}

const declared = new Map<object, Set<string>>();
/** What {@link fieldsOf} has found: a class does not change once it is there. */
const known = new WeakMap<object, readonly string[]>();

/** The fields that a class declares, its ancestors' included. */
export function fieldsOf(prototype: object): readonly string[] {
  let fields = known.get(prototype);
  if (fields === undefined) {
    const parent = Object.getPrototypeOf(prototype) as object | null;
    fields = [...(parent === null ? [] : fieldsOf(parent)), ...(declared.get(prototype) ?? [])];
    known.set(prototype, fields);
  }
  return fields;
}

/** Reads once, in the transformation; the validation then only looks whether that left a fault. */
function field<T>(reader: Reader<T | null>): PropertyDecorator {
  return applyDecorators(
    (prototype: object, name: string | symbol) => {
      declared.set(prototype, (declared.get(prototype) ?? new Set()).add(String(name)));
    },
    Expose(),
    Transform(({ obj, key }: TransformFnParams) => reader(Wire.open((obj as Record<string, unknown>)[key]))),
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
