import fc from 'fast-check';
import { Turn } from '../concurrency/turns.js';
import { JsonNumber, parseInTurns, type Shape } from './json-parser.js';

const parseJson = (text: string, shape?: Shape): Promise<unknown> => parseInTurns(text, new Turn(), shape);

/** As JSON.parse gives it, which has rounded the numbers and given the objects a prototype. */
function plain(value: unknown): unknown {
  if (value instanceof JsonNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]));
}

/** What is built of a value that JSON.parse gives. */
function wanted(value: unknown, shape?: Shape): unknown {
  const part = (item: unknown, isWanted: boolean, own?: Shape): unknown => {
    if (typeof item !== 'object' || item === null || Object.keys(item).length === 0) return item;
    if (!isWanted) return undefined;
    if (Array.isArray(item))
      return item.slice(0, 1001).map((each) => part(each, own !== undefined && !Array.isArray(each), own));
    const kept = Object.entries(item).filter(([name]) => own?.has(name) !== false);
    const within = ([name, each]: [string, unknown]) =>
      [name, part(each, own !== undefined, own?.get(name)?.shape)] as const;
    return Object.fromEntries(kept.map(within));
  };
  return part(value, true, Array.isArray(value) ? undefined : shape);
}

/** Of every object at every depth. */
const EVERYTHING: Shape = Object.assign(new Map<string, object>(), {
  has: () => true,
  get: () => ({ shape: EVERYTHING }),
});

async function outcome(parse: () => unknown): Promise<unknown> {
  try {
    return { value: await parse() };
  } catch (error) {
    return error instanceof SyntaxError ? 'refused' : error;
  }
}

const SEED = 20_261_121;

describe('the parser of bodies', () => {
  it('reads what JSON.stringify writes, with whatever white space', async () => {
    const space = fc.constantFrom('', ' ', '\t', '\r\n  ');
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 5 }), space, async (value, space) => {
        const text = JSON.stringify(value, null, space);
        for (const shape of [undefined, EVERYTHING])
          expect(plain(await parseJson(text, shape))).toStrictEqual(wanted(JSON.parse(text), shape));
      }),
      { numRuns: 1000, seed: SEED },
    );
  });

  it('refuses what JSON.parse refuses, and nothing else but names that come twice', async () => {
    const tokens = ['true', 'null', '"a":', '\\u00e9', '\\x'];
    const piece = fc.constantFrom(
      ...'{}[],:"\\ \n\t-+.0123eEtu\u0000\u001f\u2028\ud83d\udea2'.split(''),
      ...tokens,
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const text = pieces.join('');
        const ours = await outcome(async () => plain(await parseJson(text)));
        fc.pre(ours !== 'refused' || !/"a":.*"a":/s.test(text));
        expect(ours).toEqual(await outcome(() => wanted(JSON.parse(text))));
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
    ['{"a":1,"b":2,"a":1}', 'the name at position 13 appears twice'],
    ['[{"b":{"c":1,"c":1}}]', 'the name at position 13 appears twice'],
    ['[['.repeat(33), 'it is nested deeper than 64 levels'],
    ['[0,'.repeat(65), 'it is nested deeper than 64 levels'],
    ['[0,'.repeat(64), 'it ends too early'],
    ['1'.repeat(15_001), 'there is an unexpected character at position 15000'],
    [`0.${'1'.repeat(15_001)}`, 'there is an unexpected character at position 15002'],
  ])('says what is wrong with %j', async (text, message) => {
    await expect(parseJson(text)).rejects.toThrow(new SyntaxError(message));
  });

  const shape: Shape = new Map<string, { shape?: Shape }>([
    ['whole', {}],
    ['rows', { shape: new Map([['a', {}]]) }],
  ]);

  it.each([
    ['{"whole":{"a":[{"b":1}],"c":2},"other":{"a":[1]},"rows":[{"b":{"a":1},"a":{"b":2}},3,[],[{"a":1}]]}'],
    ['{"rows":{"b":1,"a":[1,[2]]},"":[[]]}'],
    ['[{"whole":1},2,{"x":{"y":1}}]'],
  ])('builds nothing that is not wanted of %s', async (text) => {
    expect(plain(await parseJson(text, shape))).toStrictEqual(wanted(JSON.parse(text), shape));
  });

  it('builds no more members and elements than tell that there are too many', async () => {
    const members = Array.from({ length: 5000 }, (_, index) => `"${index}":1`);
    expect(await parseJson(`[${'1,'.repeat(5000)}1]`)).toHaveLength(1001);
    expect(Object.keys((await parseJson(`{${members.join()}}`)) as object)).toHaveLength(1001);
    for (const again of ['"7":2', '"4000":2'])
      await expect(parseJson(`{${[...members, again].join()}}`)).rejects.toThrow('appears twice');
  });

  it('refuses in what is not wanted what it refuses elsewhere', async () => {
    await expect(parseJson('{"x":{"a":1,"b":2,"a":3}}', shape)).rejects.toThrow(
      'the name at position 18 appears twice',
    );
    await expect(parseJson('{"x":1,"y":2,"x":3}', shape)).rejects.toThrow(
      'the name at position 13 appears twice',
    );
    await expect(parseJson('{"x":[tru]}', shape)).rejects.toThrow(
      'there is an unexpected character at position 6',
    );
  });

  it.each([
    ['values', `[${'0,'.repeat(49_999)}0]`, 50],
    ['nested objects', `{"x":[${'{"a":{}},'.repeat(20_000)}0]}`, 40],
    ['one string', `"${'\\n'.repeat(500_000)}"`, 15],
    ['white space', ['', '[', '{', '"a"', ':', '1', '}', ']', ''].join(' '.repeat(200_000)), 20],
    [
      'long names',
      `{${Array.from({ length: 20 }, (_, index) => `"${index}${'x'.repeat(64 * 1024)}":1`).join()}}`,
      20,
    ],
  ])('lets others have a turn while it reads %s', async (_, text, least) => {
    let iterations = 0;
    let next = setImmediate(function count() {
      iterations++;
      next = setImmediate(count);
    });
    const value = await parseJson(text);
    clearImmediate(next);
    expect(plain(value)).toEqual(wanted(JSON.parse(text)));
    expect(iterations).toBeGreaterThanOrEqual(least);
  });
});
