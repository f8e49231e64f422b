import { parseJson } from '../json/json-parser.js';
import type { Fault } from './fields.js';
import { stringMap } from './values.js';

// What fields accept and refuse besides is in test/support/kinds/requests.ts, and is sent to the service.
describe('a map of strings', () => {
  it('inherits nothing', () => {
    expect(Object.getPrototypeOf(stringMap(parseJson('{"toString":"a"}')))).toBeNull();
  });

  it('with a key that cannot be stored is a fault whose path is well-formed', () => {
    for (const key of ['a\u0000', 'a\ud800', `${'a'.repeat(99)}😀\u0000`]) {
      const { messages } = stringMap(parseJson(JSON.stringify({ [key]: 'b' }))) as Fault;
      expect([...messages.keys()].map((path) => path.isWellFormed())).toEqual([true]);
    }
  });
});
