import { Fault } from './fields.js';
import { type JsonSource, parseValue } from '../json/json-parser.js';
import { listOf, stringMap, text } from './values.js';

/** Paths of the faults, or undefined for a value that was read. */
const faultsOf = (value: unknown): string[] | undefined =>
  value instanceof Fault ? [...value.messages.keys()] : undefined;

/** An array or object as it comes in a body. */
const source = (json: string): unknown => parseValue(json, 64);

/** One that must be counted and not read. */
function unread(json: string): unknown {
  const many = source(json) as JsonSource;
  many.read = () => {
    throw new Error('they were read');
  };
  return many;
}

// What else they take and refuse is in test/support/kinds/, and is sent to the service.
describe('a list', () => {
  it('has its elements counted before they are read', () => {
    const many = unread(`[${Array(1001).fill('1').join()}]`);
    expect(listOf(text(3))(many)).toEqual(Fault.of('must have at most 1000 elements'));
  });
});

describe('a map of strings', () => {
  it('has its members counted before they are read', () => {
    const members = Array.from({ length: 1001 }, (_, index) => `"${index}":"a"`);
    expect(stringMap(unread(`{${members.join()}}`))).toEqual(Fault.of('must have at most 1000 members'));
  });

  it('inherits nothing', () => {
    expect(Object.getPrototypeOf(stringMap(source('{"toString":"a"}')))).toBeNull();
  });

  it('refuses a key that cannot be stored, and can still be told', () => {
    for (const key of ['a\u0000', 'a\ud800', `${'a'.repeat(99)}😀\u0000`]) {
      const [path] = faultsOf(stringMap(source(JSON.stringify({ [key]: 'b' }))))!;
      expect(path!.isWellFormed()).toBe(true);
    }
  });
});
