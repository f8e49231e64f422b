/** Field → its JSON text, or undefined for a field to leave out. */
export type Tokens = Readonly<Record<string, string | undefined>>;

/** The JSON text of an object, some fields of it as the tokens say, digit for digit and escape for escape. */
export function rawJson(fields: object, tokens: Tokens): string {
  const plain = Object.entries(fields)
    .filter(([name]) => !(name in tokens))
    .map(([name, value]) => [name, JSON.stringify(value)] as const);
  const members = [...plain, ...Object.entries(tokens)].filter(([, token]) => token !== undefined);
  return `{${members.map(([name, token]) => `${JSON.stringify(name)}:${token}`).join(',')}}`;
}
