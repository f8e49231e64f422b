/** Field → its JSON text, or undefined for a field to leave out. */
export type Tokens = Readonly<Record<string, string | undefined>>;

/** The JSON text of an object, with these texts for some of its fields. */
export function rawJson(fields: object, tokens: Tokens): string {
  const plain = Object.entries(fields)
    .filter(([name]) => !(name in tokens))
    .map(([name, value]) => [name, JSON.stringify(value)] as const);
  const members = [...plain, ...Object.entries(tokens)].filter(([, token]) => token !== undefined);
  return `{${members.map(([name, token]) => `${JSON.stringify(name)}:${token}`).join(',')}}`;
}
