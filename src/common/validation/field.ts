import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  IsDefined,
  IsOptional,
  ValidateBy,
  type ValidationArguments,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { MAX_FIELD_ERRORS } from '../problems/problem.js';
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

/** What is wrong with an input, exactly as it was sent. */
export type Rule = (input: unknown) => Fault | undefined;

/** The value of an input that keeps the rules. */
export type Conversion = (input: never) => unknown;

/** What a {@link Check} gives to class-validator. */
export type Checked = readonly [rule: Rule, convert?: Conversion, items?: Type];

/** Asks a rule. Faults of parts alone leave the message empty: class-validator has one for the whole property. */
@ValidatorConstraint()
export class KeepsRule implements ValidatorConstraintInterface {
  validate(value: unknown, args?: ValidationArguments): boolean {
    const [rule] = args?.constraints as unknown as Checked;
    return rule(value) === undefined;
  }

  defaultMessage({ value, constraints }: ValidationArguments): string {
    const [rule] = constraints as unknown as Checked;
    return rule(value)?.get('') ?? '';
  }
}

/** A rule of our own, where none of class-validator's says what the contract says. */
export function Check(name: string, ...constraints: Checked): PropertyDecorator {
  return ValidateBy({ name, constraints: [...constraints], validator: KeepsRule });
}

/** A rule for texts. The message is the fault of any other input, too. */
export function textRule(message: string, isValid: (text: string) => boolean): Rule {
  return (input) => (typeof input === 'string' && isValid(input) ? undefined : Fault.of(message));
}

/** The words about a field; `default` is the meaning of one that is left out, where it differs from the same value given. */
export type About = Pick<Schema, 'description' | 'example' | 'default'>;

/** What the API document says of a field. */
export function Shown({
  example,
  nullable = false,
  required = true,
  ...schema
}: ShownSchema): PropertyDecorator {
  const examples = example === undefined ? {} : { examples: [example] };
  // A list of names is for the members of an object; @nestjs/swagger takes the field's own presence apart.
  const presence = Array.isArray(required) ? { required, selfRequired: true } : { required };
  return ApiProperty({ ...schema, ...examples, ...presence, nullable } as ApiPropertyOptions);
}

type ShownSchema = Omit<Schema, 'required'> & { required?: boolean | string[] };

/** A field of a request. It must be there, and null is not there, unless it is {@link Optional}. */
export function Field(schema: Schema, about: About, ...rules: PropertyDecorator[]): PropertyDecorator {
  return applyDecorators(Shown({ ...schema, ...about }), IsDefined({ message: 'is required' }), ...rules);
}

/** A field that may be missing or null, and then takes the fallback. */
export function Optional({ fallback = null }: { readonly fallback?: unknown } = {}): PropertyDecorator {
  // Of a single value alone: with that of a list or an object generated clients would not compile.
  const meaning = typeof fallback === 'object' ? {} : { default: fallback };
  return applyDecorators(
    ApiProperty({ ...meaning, required: false, nullable: true }),
    IsOptional({ context: { fallback } }),
  );
}
