import { type Kind, plain } from './kind.js';

export const tags: Kind = {
  accepted: plain(
    ...['[]', '["a"]', '["b","a","b",""]', '["NULL","null","{}","a,b","\\"q\\"","\\\\","{\\"}"," "]'],
    JSON.stringify(['a'.repeat(255), '😀'.repeat(255)]),
    JSON.stringify(Array.from({ length: 1000 }, (_, index) => `tag ${index}`)),
  ),
  refused: [
    ...plain('"a"', '1', 'true', '{}', '{"0":"a"}', '""', JSON.stringify(Array(1001).fill('a'))),
    ['[1]', '[0]'],
    ['["a",null]', '[1]'],
    ['["a",true,"b",{},["c"]]', '[1]', '[3]', '[4]'],
    [JSON.stringify(['a', 'b'.repeat(256), 'c', '❤️'.repeat(255)]), '[1]', '[3]'],
    [String.raw`["\u0000","\ud800"]`, '[0]', '[1]'],
  ],
};

function numbered(length: number): [string, string][] {
  return Array.from({ length }, (_, index) => [`key ${index}`, '']);
}

export const metadata: Kind = {
  accepted: plain(
    ...['{}', '{"":"","a.b":"c","a[0]":"d"}', '{"10":"x","9":"y","a":"z"}', '{" a ":" b "}'],
    '{"toString":"a","constructor":"b","hasOwnProperty":"c","valueOf":"d","prototype":"e","__defineGetter__":"f"}',
    ...['{"ключ":"значение","鍵":"値","😀":"❤️"}', '{"length":"1","then":"x","toJSON":"y"}'],
    JSON.stringify({ ['k'.repeat(1000)]: 'v'.repeat(10_000) }),
    JSON.stringify(Object.fromEntries(numbered(1000))),
  ),
  refused: [
    ...plain('"a"', '1', 'true', '[]', '["a"]', '""', JSON.stringify(Object.fromEntries(numbered(1001)))),
    ['{"a":1}', '.a'],
    ['{"a":null}', '.a'],
    ['{"ok":"x","a":{"b":"c"},"d":["e"],"f":true}', '.a', '.d', '.f'],
    ['{"toString":1,"constructor":{}}', '.toString', '.constructor'],
    ['{"":1}', '.'],
    [String.raw`{"a":"\u0000"}`, '.a'],
    [String.raw`{"a":"\ud800"}`, '.a'],
    [String.raw`{"a\u0000":"b"}`, '.a\u0000'],
    [String.raw`{"a\ud800":"b"}`, '.a\ufffd'],
  ],
};
