import type { Choice } from './choices.js';

/** A request's body: its text, what it means, and what is wrong with it. */
export interface Body {
  readonly text: string;
  /** Field → what the service must make of it; without those that take their default. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Field → its JSON text. */
  readonly tokens: Readonly<Record<string, string>>;
  /** The paths of all field errors, in alphabetical order. */
  readonly faults: readonly string[];
}

/** The body that results when each choice replaces what was chosen for its field before. */
export function bodyOf(base: Readonly<Record<string, Choice>>, choices: readonly Choice[]): Body {
  const fields = new Map(Object.entries(base));
  for (const choice of choices) fields.set(choice.field, choice);
  const sent = [...fields.values()].filter((choice) => choice.token !== undefined);
  return {
    text: `{${sent.map(({ field, token }) => `${JSON.stringify(field)}:${token}`).join(',')}}`,
    values: Object.fromEntries(
      sent.filter(({ value }) => value !== undefined).map(({ field, value }) => [field, value]),
    ),
    tokens: Object.fromEntries(sent.map(({ field, token }) => [field, token!])),
    faults: [...fields.values()].flatMap(({ faults = [] }) => faults).sort(),
  };
}
