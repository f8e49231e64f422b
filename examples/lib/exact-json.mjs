const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Reads JSON with every number as the text of its digits. JavaScript's own numbers are exact to about fifteen digits,
 * and ids and amounts may have nineteen.
 */
export function readExactJson(text) {
  return JSON.parse(
    text.replace(STRING_OR_NUMBER, (token) => (token.startsWith('"') ? token : `"${token}"`)),
  );
}

/** Writes JSON with the given texts of digits as its numbers: `{ amount: '0.10' }` becomes `{"amount":0.10}`. */
export function writeExactJson(numbers, others) {
  const members = Object.entries(numbers).map(([name, digits]) => `${JSON.stringify(name)}:${digits}`);
  return `{${[...members, JSON.stringify(others).slice(1, -1)].filter(Boolean).join(',')}}`;
}
