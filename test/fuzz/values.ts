import { words } from '../support/contract.js';

/** Faulty and odd values for each part of a request. */

export const IDS: readonly string[] = [
  ...words(`0 -1 -0 +1 01 1e1 1.0 0x1 9223372036854775807 9223372036854775808 99999999999999999999999999
    NaN null me search %31 %00 %2e%2e %zz % %ff .. 1%2f2 1;a=b 1,2 \u00e9 \u0661 1'--`),
  ' ',
];

/** In place of a path's last segment, which `$&` stands for: empty, doubled, with trailing slashes. */
export const LAST_SEGMENTS = ['', '', '/', '/$&', '$&/$&', '$&/', '$&//'];

export const QUERIES: readonly string[] = [
  ...words(`page=-1 page=2147483647 page=2147483648 page=1.5 page= page page=1&page=2 page[]=1 page[a]=1
    size=0 size=101 size=1e1 size=%31 sort= sort=none sort=id,up sort=id;DROP%20TABLE%20users sort=%00
    sort=date,desc,asc sort=amount,DESC&sort=id sort[]=id __proto__=1 constructor[prototype][x]=1
    a=%zz a=%ff%fe &&& ? =`),
  `x=${'y'.repeat(3000)}`,
];

/** JSON texts, and others that no JSON.stringify would write. */
export const VALUES: readonly string[] = [
  ...words(String.raw`null true false 0 -0 -1 1.5 1e21 1e-7 2147483648 9007199254740994 0.015 99999999.995
    "" "1" "true" "null" "NaN" "\u0000" "a\u0000b" "\ud800" "\udfff\ud800" "infinity" "PENDING" "INCOME" "%_\\"
    "2026-02-30T00:00:00Z" "2026-01-01" "0000-01-01T00:00:00Z" "9999-12-31T23:59:59.999+14:00"
    [] [[]] ["a",1,null] {} {"a":1} {"a":{"b":[]}} {"constructor":"x","toString":"y","":"z"}
    1e400 -1e400 1E+2 0.10 100.000000000000000000000001 9223372036854775808 01 .5 NaN undefined
    'x' "\x" {"__proto__":{"x":1}}`),
  ...['\u{1f600}'.repeat(256), 'x'.repeat(256), 'x'.repeat(5000)].map((text) => `"${text}"`),
  ...['" "', `"'; DROP TABLE users; --"`, `[${'0,'.repeat(199)}0]`],
  `${'['.repeat(100)}${']'.repeat(100)}`,
  `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`,
];

export const HEADERS: readonly [name: string, value: string][] = Object.entries({
  'Content-Type': [
    ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=', '', '/'],
    ...['application/json; charset=utf-16', 'application/json; charset='],
  ],
  'Content-Encoding': ['gzip'],
  Accept: ['text/html', '*/*;q=x'],
  'Accept-Encoding': ['gzip, br'],
  Authorization: ['', 'Bearer', 'Bearer x.y.z', 'Basic dXNlcjpwYXNz', `Bearer ${'x'.repeat(4000)}`],
  'If-Match': ['"1"', '*', 'W/"x", ,"'],
  'If-None-Match': ['*', '"1"'],
  'X-Request-Id': ['a b', 'x'.repeat(100)],
  'X-HTTP-Method-Override': ['DELETE'],
  'X-Forwarded-For': ['127.0.0.1'],
  Origin: ['null', 'https://evil.example'],
  'Access-Control-Request-Method': ['GET'],
  Cookie: ['session=1; token=2'],
  Range: ['bytes=0-0'],
  Expect: ['100-continue', 'x'],
  Host: ['', 'evil.example'],
  Connection: ['keep-alive, x'],
  Upgrade: ['h2c'],
  'Transfer-Encoding': ['chunked'],
  'Content-Length': ['0'],
  'X-Big': ['x'.repeat(17_000)],
  'X-Control': ['a\u0001b'],
  'X Blank': ['1'],
  '': ['x'],
}).flatMap(([name, values]) => values.map((value): [string, string] => [name, value]));

/** In place of a body. */
export const BODIES: readonly string[] = [
  ...['', ' ', '[]', 'null', '1', '"x"', '{', '{}', '[{}]', 'a=b', '<a/>', '\ufeff{}'],
  '['.repeat(10_000),
  `{"name":"${'x'.repeat(300_000)}"}`,
];
