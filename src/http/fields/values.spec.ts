import { Fault } from './fields.js';
import { JsonNumber, type JsonObject, type JsonSource, parseBody } from '../json/json-parser.js';
import {
  anyNumber,
  boolean,
  dateTime,
  email,
  int32,
  int64,
  listOf,
  money,
  oneOf,
  stringMap,
  text,
} from './values.js';

const number = (digits: string): JsonNumber => new JsonNumber(digits);

/** Paths of the faults, or undefined for a value that was read. */
const faultsOf = (value: unknown): string[] | undefined =>
  value instanceof Fault ? [...value.messages.keys()] : undefined;

const NO_STRINGS: unknown[] = [number('1'), 1, true, [], {}, ['a'], new String('a')];

describe('text', () => {
  it.each([
    '',
    ' ',
    ' padded ',
    'a'.repeat(255),
    '😀'.repeat(255),
    '❤️'.repeat(127),
    'e\u0301',
    '\u0001',
    '\uffff',
  ])('keeps %j as it is', (wire) => expect(text(255)(wire)).toBe(wire));

  it.each(['a'.repeat(256), '😀'.repeat(256), '❤️'.repeat(255), 'a'.repeat(1_000_000)])(
    'counts code points, and finds too many in %#',
    (wire) => expect(faultsOf(text(255)(wire))).toEqual(['']),
  );

  it.each(['\u0000', 'a\u0000b', '\ud800', '\udc00', 'a\ud83d', '\ude00\ud83d', ...NO_STRINGS])(
    'refuses %p',
    (wire) => expect(faultsOf(text(255)(wire))).toEqual(['']),
  );

  it('has no bound unless told, and a lower one when told', () => {
    expect(text()('a'.repeat(1_000_000))).toHaveLength(1_000_000);
    expect(text(50, 3)('😀😀😀')).toBe('😀😀😀');
    expect(faultsOf(text(50, 3)('😀😀'))).toEqual(['']);
  });
});

describe('email', () => {
  it.each(['a@b', 'a.b+c@example.com', 'ü@ö', `${'a'.repeat(253)}@b`, '"@"', '<>@()'])('takes %j', (wire) =>
    expect(email(wire)).toBe(wire),
  );

  it.each(
    [
      '',
      '@',
      'a@',
      '@b',
      'a',
      'a@b@c',
      'a b@c',
      ' a@b',
      'a@b ',
      'a@b\n',
      'a\t@b',
      'a\u00a0@b',
      'a\u0085@b',
      'a\u0000@b',
    ].concat(`${'a'.repeat(254)}@b`),
  )('refuses %j', (wire) => expect(email(wire)).toBeInstanceOf(Fault));
});

describe('boolean', () => {
  it.each([true, false])('takes %p', (wire) => expect(boolean(wire)).toBe(wire));
  it.each([number('1'), number('0'), 'true', '', [], {}])('refuses %p', (wire) =>
    expect(boolean(wire)).toBeInstanceOf(Fault),
  );
});

describe('oneOf', () => {
  const read = oneOf(['PAID', 'PENDING']);
  it('takes a value of the list', () => expect(read('PAID')).toBe('PAID'));
  it.each(['paid', 'PAID ', '', 'toString', '0', number('0'), true, ['PAID'], {}])(
    'refuses %p and names the list',
    (wire) => {
      expect([...(read(wire) as unknown as Fault).messages.values()]).toEqual([
        expect.stringContaining('PAID, PENDING'),
      ]);
    },
  );
});

describe('int32', () => {
  const read = int32(1, 100);
  it.each([
    ['1', 1],
    ['1.0', 1],
    ['100.00', 100],
  ])('reads %s', (digits, value) => expect(read(number(digits))).toBe(value));
  it.each(['0', '101', '-1', '1.5', '1e400', '4294967297', '9223372036854775808'])('refuses %s', (digits) =>
    expect(read(number(digits))).toBeInstanceOf(Fault),
  );
  it.each(['1', 1, true, [], {}])('refuses %p, which is no number of a body', (wire) =>
    expect(read(wire)).toBeInstanceOf(Fault),
  );
});

describe('int64', () => {
  it.each([
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['9007199254740993', '9007199254740993'],
    ['1.0', '1'],
    ['-0', '0'],
  ])('reads %s', (digits, value) => expect(int64(number(digits))).toBe(value));
  it.each(['9223372036854775808', '-9223372036854775809', '1e400', '-1e400', '1.5', '1e-400'])(
    'refuses %s',
    (digits) => expect(int64(number(digits))).toBeInstanceOf(Fault),
  );
  it.each(['1', 1, 1n, true, [], {}])('refuses %p, which is no number of a body', (wire) =>
    expect(int64(wire)).toBeInstanceOf(Fault),
  );
});

describe('money', () => {
  const read = money('0.01');
  it.each([
    ['0.01', '0.01'],
    ['1e2', '100'],
    ['1.10', '1.1'],
    ['100.00', '100'],
    ['99999999999999999.99', '99999999999999999.99'],
  ])('reads %s as %s', (digits, value) => expect(read(number(digits))).toBe(value));
  it.each([
    '0',
    '-0',
    '0.009',
    '0.015',
    '1e-7',
    '-0.01',
    '100000000000000000',
    '1e17',
    '1e400',
    '-1e400',
    '1e-400',
  ])('refuses %s', (digits) => expect(read(number(digits))).toBeInstanceOf(Fault));
  it.each([
    ['0', true],
    ['-0', true],
    ['99999999.99', true],
    ['99999999.991', false],
    ['100000000', false],
    ['-0.01', false],
  ])('holds %s to the bounds that it is given: %p', (digits, fits) => {
    expect(faultsOf(money('0', '99999999.99')(number(digits))) === undefined).toBe(fits);
  });
  it.each(['1', 1, true, [], {}])('refuses %p, which is no number of a body', (wire) =>
    expect(read(wire)).toBeInstanceOf(Fault),
  );
});

describe('anyNumber', () => {
  it.each(['0', '-1', '0.001', '1e400', '-1e400', '1e-400'])('takes %s', (digits) =>
    expect(anyNumber(number(digits))).not.toBeInstanceOf(Fault),
  );
  it.each(['1', 1, true, [], {}])('refuses %p', (wire) => expect(anyNumber(wire)).toBeInstanceOf(Fault));
});

describe('dateTime', () => {
  it('reads a text', () => expect(dateTime('2026-01-15T10:30+01:00')).toBe('2026-01-15T09:30:00.000Z'));
  it.each(['2026-01-15', number('1768473000000'), new Date(), true, [], {}])('refuses %p', (wire) =>
    expect(dateTime(wire)).toBeInstanceOf(Fault),
  );
});

/** An array or object as it comes in a body. */
const source = (json: string): unknown => (parseBody(`{"x":${json}}`, 64, () => true) as JsonObject)['x'];

describe('listOf', () => {
  const read = listOf(text(3));
  it('keeps order and duplicates', () =>
    expect(read(source('["b","a","","b"]'))).toEqual(['b', 'a', '', 'b']));
  it('names every faulty element by its index', () => {
    expect(faultsOf(read(source('["a",null,"long","b",1,["a"]]')))).toEqual(['[1]', '[2]', '[4]', '[5]']);
  });
  it.each(['a', source('{}'), source('{"length":1}'), number('1'), true])('refuses %p', (wire) =>
    expect(faultsOf(read(wire))).toEqual(['']),
  );
  it('counts the elements before it reads them', () => {
    const many = source(`[${Array(1001).fill('1').join()}]`) as JsonSource;
    many.read = () => {
      throw new Error('they were read');
    };
    expect(read(many)).toEqual(Fault.of('must have at most 1000 elements'));
    expect(read(source(`[${Array(1000).fill('"a"').join()}]`))).toHaveLength(1000);
  });
});

describe('stringMap', () => {
  it.each([
    '{}',
    '{"a":"b"}',
    '{"":""}',
    '{"toString":"a","constructor":"b","hasOwnProperty":"c","valueOf":"d"}',
  ])('keeps every key of %s', (json) => {
    const read = stringMap(source(json));
    expect(JSON.stringify(read)).toBe(json);
    expect(Object.getPrototypeOf(read)).toBeNull();
  });

  it.each([
    ['{"a":1}', ['.a']],
    ['{"a":"ok","b":null,"c":{"d":"e"},"f":["g"],"h":true}', ['.b', '.c', '.f', '.h']],
    ['{"a":"\\u0000"}', ['.a']],
    ['{"":1}', ['.']],
    ['{"__proto__":"a"}', ['.__proto__']],
    ['{"__proto__":{"polluted":"yes"}}', ['.__proto__']],
  ])('names the faulty keys of %s', (json, paths) =>
    expect(faultsOf(stringMap(source(json)))).toEqual(paths),
  );

  it('refuses a key that cannot be stored, and can still be told', () => {
    for (const key of ['a\u0000', 'a\ud800', `${'a'.repeat(99)}😀\u0000`]) {
      const [path] = faultsOf(stringMap(source(JSON.stringify({ [key]: 'b' }))))!;
      expect(path!.isWellFormed()).toBe(true);
    }
  });

  it.each([source('[]'), source('["a"]'), 'a', number('1'), true])('refuses %p', (wire) =>
    expect(faultsOf(stringMap(wire))).toEqual(['']),
  );

  it('counts the members before it reads them', () => {
    const members = Array.from({ length: 1001 }, (_, index) => `"${index}":"a"`);
    const many = source(`{${members.join()}}`) as JsonSource;
    many.read = () => {
      throw new Error('they were read');
    };
    expect(stringMap(many)).toEqual(Fault.of('must have at most 1000 members'));
    expect(Object.keys(stringMap(source(`{${members.slice(1).join()}}`)))).toHaveLength(1000);
  });
});
