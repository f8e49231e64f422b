import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API_DOCUMENT } from './support/api-document.js';

/** A change of the document, by the JSON pointer that the lint names and the rule that it breaks. */
const BREACHES = [
  ['#/components/schemas/TransactionRequest/properties/metadata/default', 'generators/scalar-default', {}],
  [
    '#/components/schemas/TransactionRequest/properties/date/pattern',
    'generators/no-pattern-beside-format',
    '^\\d+',
  ],
  ['#/paths/~1api~1transactions/get/parameters/2/schema/default', 'generators/scalar-default', ['date,desc']],
  [
    '#/components/schemas/Category',
    'generators/schema-named-unlike-values',
    { type: 'string', enum: ['CLEANING', 'REPAIRS'] },
  ],
] as const;

const SCHEMA_IN_USE = '#/components/schemas/TransactionRequest/properties/kind';

function planted(): object {
  const document = structuredClone(API_DOCUMENT);
  for (const [pointer, , value] of BREACHES) plant(document, pointer, value);
  plant(document, SCHEMA_IN_USE, { $ref: '#/components/schemas/Category' });
  return document;
}

function plant(document: object, pointer: string, value: unknown): void {
  const path = pointer.slice(2).split('/');
  const last = path.pop() ?? '';
  let node = document as Record<string, unknown>;
  for (const part of path) node = node[part.replaceAll('~1', '/')] as Record<string, unknown>;
  node[last] = value;
}

describe('the lint of the API document', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'lint-openapi-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('finds what generators of clients stumble over, and nothing else', () => {
    const file = join(folder, 'planted.json');
    writeFileSync(file, JSON.stringify(planted()));
    const { status, stderr } = spawnSync('node', ['scripts/lint-openapi.mjs', '--file', file], {
      encoding: 'utf8',
    });
    const found = stderr
      .trim()
      .split('\n')
      .map((line) => line.split(': ', 1)[0]);
    expect(found.toSorted()).toEqual(BREACHES.map(([pointer, rule]) => `${pointer} ${rule}`).toSorted());
    expect(status).toBe(1);
  });
});
