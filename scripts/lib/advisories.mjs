// What is known to be wrong with versions of packages that are in the tree. `npm audit` knows more and asks a server;
// this needs none, and keeps a lock file from going back behind what was mended.

/** Package → the first version without the hole, of each line of versions that has one, and the advisory. */
export const MENDED = {
  '@babel/helpers': [['7.26.10'], 'CVE-2025-27789'],
  '@babel/traverse': [['7.23.2'], 'CVE-2023-45133'],
  '@eslint/plugin-kit': [['0.3.4'], 'GHSA-xffm-g5w8-qvg7'],
  '@nestjs/common': [['10.4.16', '11.0.16'], 'CVE-2024-29409'],
  '@nestjs/core': [['9.0.5'], 'CVE-2023-26108'],
  '@nestjs/platform-fastify': [['11.1.24'], 'CVE-2026-54281'],
  ajv: [['6.14.0', '8.18.0'], 'CVE-2025-69873'],
  'ansi-regex': [['3.0.1', '4.1.1', '5.0.1', '6.0.1'], 'CVE-2021-3807'],
  bcrypt: [['5.0.0'], 'CVE-2020-7689'],
  'brace-expansion': [['1.1.12', '2.0.2', '3.0.1', '4.0.1'], 'CVE-2025-5889'],
  'class-transformer': [['0.3.1'], 'CVE-2020-7637'],
  'class-validator': [['0.14.0'], 'CVE-2019-18413'],
  cookie: [['0.7.0'], 'CVE-2024-47764'],
  'cross-spawn': [['6.0.6', '7.0.5'], 'CVE-2024-21538'],
  'fast-uri': [['2.4.1', '3.1.2'], 'CVE-2026-6322'],
  fastify: [['5.8.5'], 'CVE-2026-33806'],
  'file-type': [['16.5.4', '17.1.3'], 'CVE-2022-36313'],
  'find-my-way': [['8.2.2', '9.0.1'], 'CVE-2024-45813'],
  'form-data': [['2.5.4', '3.0.4', '4.0.4'], 'CVE-2025-7783'],
  glob: [['10.5.0', '11.1.0'], 'CVE-2025-64756'],
  got: [['11.8.5', '12.1.0'], 'CVE-2022-33987'],
  'http-cache-semantics': [['4.1.1'], 'CVE-2022-25881'],
  'js-yaml': [['3.14.2', '4.1.1'], 'CVE-2025-64718'],
  json5: [['1.0.2', '2.2.2'], 'CVE-2022-46175'],
  jsonwebtoken: [['9.0.0'], 'CVE-2022-23540'],
  jws: [['3.2.3', '4.0.1'], 'CVE-2025-65945'],
  minimatch: [['3.1.3', '4.2.5', '5.1.8', '6.2.2', '7.4.8', '8.0.6', '9.0.7', '10.2.3'], 'CVE-2026-27903'],
  minimist: [['1.2.6'], 'CVE-2021-44906'],
  passport: [['0.6.0'], 'CVE-2022-25896'],
  'path-to-regexp': [['0.1.13', '1.9.0', '3.3.0', '6.3.0', '8.4.0'], 'CVE-2026-4926'],
  pg: [['7.1.2'], 'CVE-2017-16082'],
  semver: [['5.7.2', '6.3.1', '7.5.2'], 'CVE-2022-25883'],
  typeorm: [['0.3.26'], 'CVE-2025-60542'],
  validator: [['13.15.22'], 'CVE-2025-12758'],
  'word-wrap': [['1.2.4'], 'CVE-2023-26115'],
};

/** Versions that were published with somebody else's code in them. */
export const MALICIOUS = {
  '@pkgr/core': ['0.2.8'],
  'ansi-regex': ['6.2.1'],
  'ansi-styles': ['6.2.2'],
  chalk: ['5.6.1'],
  'color-convert': ['3.1.1'],
  'color-name': ['2.0.1'],
  debug: ['4.4.2'],
  'error-ex': ['1.3.3'],
  'eslint-config-prettier': ['8.10.1', '9.1.1', '10.1.6', '10.1.7'],
  'is-arrayish': ['0.3.3'],
  'napi-postinstall': ['0.3.1'],
  'strip-ansi': ['7.1.1'],
  'supports-color': ['10.2.1'],
  synckit: ['0.11.9'],
  'wrap-ansi': ['9.0.1'],
};

/** The reason why a version may not be used, or undefined. */
export function faultOf(name, version) {
  if (MALICIOUS[name]?.includes(version)) return 'was published with malicious code in it';
  const [mended, advisory] = MENDED[name] ?? [[]];
  const number = partsOf(version);
  const line = mended.map(partsOf).find(([major]) => major >= number[0]); // its own, or the next that has one
  if (line === undefined || compare(number, line) >= 0) return undefined;
  return `has a known hole, ${advisory}: take ${line.join('.')} or newer`;
}

function partsOf(version) {
  return version.split(/[-+]/, 1)[0].split('.').map(Number);
}

function compare(one, other) {
  const at = one.findIndex((part, index) => part !== other[index]);
  return at === -1 ? 0 : one[at] - other[at];
}
