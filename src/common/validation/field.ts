import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { IsOptional, ValidateBy, ValidatorConstraint } from 'class-validator';
import type { JsonObject } from '../json/json-parser.js';
import { MAX_FIELD_ERRORS } from '../problems/problem.js';
import type { Schema } from './schema.js';

/** The faults of a value: '' or a path below the field (`[1]`, `.key`) → message. */
export class Fault extends Map<string, string> {
  static of(message: string): Fault {
    return new Fault([['', message]]);
  }

  /** Whether as many were found as a problem lists: then the search ends. */
  get isFull(): boolean {
    return this.size >= MAX_FIELD_ERRORS;
  }

  /** Adds the faults of a part, where it has any, behind those of the same name. */
  add(path: string, part: Fault | undefined): void {
    for (const [below, message] of part ?? [])
      if (!this.isFull) this.set(path + below, [this.get(path + below) ?? [], message].flat().join('; '));
  }
}

/** The fault of an input, exactly as it was sent. */
export type Rule = (input: unknown) => Fault | undefined;

/** What a {@link Check} gives to class-validator. */
export interface Checked {
  readonly rule: Rule;
  /** Valid input → the value of the field. */
  readonly conversion?: ((input: never) => unknown) | undefined;
  /** The class of the objects in a list. */
  readonly items?: Type | undefined;
}

/** Asks a rule. Its fault is read apart: class-validator has one message for a property, and none for its parts. */
@ValidatorConstraint()
export class KeepsRule {
  validate(value: unknown, { constraints }: Readonly<{ constraints: readonly [Checked] }>): boolean {
    return constraints[0].rule(value) === undefined;
  }
}

/** A rule of our own, where class-validator has none that meets the contract. */
export function Check(
  name: string,
  rule: Rule,
  conversion?: Checked['conversion'],
  items?: Type,
): PropertyDecorator {
  return ValidateBy({ name, constraints: [{ rule, conversion, items }], validator: KeepsRule });
}

/** A further rule of a field without a fault, about the request as it was sent: its other fields may have faults. */
export function Also(message: string, holds: (value: string, request: JsonObject) => boolean) {
  const validate = (value: string, about?: { object: object }) => holds(value, about?.object as JsonObject);
  return ValidateBy({ name: 'also', validator: { validate, defaultMessage: () => message } });
}

/** A rule for texts. The message is the fault of any other input, too. */
export function textRule(message: string, isValid: (text: string) => boolean): Rule {
  return (input) => (typeof input === 'string' && isValid(input) ? undefined : Fault.of(message));
}

/** The words about a field. `default` says what it means to leave the field out. */
export type About = Pick<Schema, 'description' | 'example' | 'default'>;

type ShownSchema = Omit<Schema, 'required'> & { required?: boolean | string[] };

/** What the API document says of a field. */
export function Shown({ example, required = true, ...schema }: ShownSchema): PropertyDecorator {
  const examples = example === undefined ? {} : { examples: [example] };
  // As a list, `required` names the members of an object; @nestjs/swagger has another option for the field's own presence.
  const presence = Array.isArray(required) ? { required, selfRequired: true } : { required };
  return ApiProperty({ ...schema, ...examples, ...presence } as ApiPropertyOptions);
}

/** A field of a request, required unless it is {@link Optional}. Null counts as missing. */
export function Field(schema: Schema, about: About, ...rules: PropertyDecorator[]): PropertyDecorator {
  return applyDecorators(Shown({ ...schema, ...about }), ...rules);
}

/** A field that may be missing or null, and then takes the fallback. */
export function Optional({ fallback = null }: { readonly fallback?: unknown } = {}): PropertyDecorator {
  // Of a single value alone: generated clients do not compile with the default of a list or an object.
  const meaning = typeof fallback === 'object' ? {} : { default: fallback };
  const shown = ApiProperty({ ...meaning, required: false, nullable: true });
  return applyDecorators(shown, IsOptional({ context: { fallback } }));
}
