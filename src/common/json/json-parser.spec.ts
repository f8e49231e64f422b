import fc from 'fast-check';
import { JsonNumber, parseJson } from './json-parser.js';

/** As JSON.parse gives it, which has rounded the numbers and given the objects a prototype. */
function plain(value: unknown): unknown {
  if (value instanceof JsonNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]));
}

function outcome(parse: () => unknown): unknown {
  try {
    return { value: parse() };
  } catch (error) {
    return error instanceof SyntaxError ? 'refused' : error;
  }
}

const SEED = 20_261_121;

describe('the parser of bodies', () => {
  it('reads what JSON.stringify writes, with whatever white space', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom('', ' ', '\t', '\r\n  '), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(plain(parseJson(text))).toEqual(JSON.parse(text));
      }),
      { numRuns: 1000, seed: SEED },
    );
  });

  it('refuses what JSON.parse refuses, and nothing else but names that come twice', () => {
    const tokens = ['true', 'null', '"a":', '\\u00e9', '\\x'];
    const piece = fc.constantFrom(
      ...'{}[],:"\\ \n\t-+.0123eEtu\u0000\u001f\u2028\ud83d\udea2'.split(''),
      ...tokens,
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        const ours = outcome(() => plain(parseJson(text)));
        fc.pre(ours !== 'refused' || !/"a":.*"a":/s.test(text));
        expect(ours).toEqual(outcome(() => JSON.parse(text)));
      }),
      { numRuns: 5000, seed: SEED },
    );
  });

  it.each([
    ['', 'it ends too early'],
    ['"abc', 'it ends too early'],
    ['[1,]', 'there is an unexpected character at position 3'],
    ['{"a":1,}', 'there is an unexpected character at position 7'],
    ['{a:1}', 'there is an unexpected character at position 1'],
    ['[1] x', 'there is an unexpected character at position 4'],
    ['"a\u001fb"', 'there is an unexpected character at position 2'],
    ['[\f1]', 'there is an unexpected character at position 1'],
    ['["a\\u12"]', 'there is an unexpected character at position 3'],
    ['{"a":1,"b":2,"a":1}', 'the name at position 13 comes twice'],
    ['[{"b":{"c":1,"c":1}}]', 'the name at position 13 comes twice'],
    ['[['.repeat(33), 'it is nested deeper than 64 levels'],
    ['[0,'.repeat(65), 'it is nested deeper than 64 levels'],
    ['[0,'.repeat(64), 'it ends too early'],
  ])('says what is wrong with %j', (text, message) => {
    expect(() => parseJson(text)).toThrow(new SyntaxError(message));
  });
});
