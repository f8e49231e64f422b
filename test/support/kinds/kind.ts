/** What a field takes and what it refuses, as JSON text. */
export interface Kind {
  /** The token, and what the service answers for it, when that is not the token itself. */
  readonly accepted: readonly (readonly [token: string, echo?: string])[];
  /** The token, and below the field's name the paths of its faults, when that is not the field itself. */
  readonly refused: readonly (readonly [token: string, ...below: string[]])[];
  /** What each message must name. */
  readonly names?: readonly string[];
}

export const quoted = (text: string): string => JSON.stringify(text);

export const plain = (...tokens: string[]): [string][] => tokens.map((token) => [token]);

/** Nothing is ever coerced. */
export const NO_STRING = plain('1', 'true', '[]', '["a"]', '{}');

export const NO_NUMBER = plain('"1"', '""', '"NaN"', 'true', '[]', '[1]', '{}');

export const UNSTORABLE = plain(
  String.raw`"a\u0000b"`,
  String.raw`"\ud800"`,
  String.raw`"\udfff"`,
  String.raw`"\ude00\ud83d"`,
);
