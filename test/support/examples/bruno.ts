import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ExampleRequest } from './playback.js';

/** The blocks of a `.bru` file: everything between `name {` and a brace at the beginning of a line. */
type Blocks = Readonly<Record<string, string>>;

const METHODS = ['get', 'post', 'put', 'delete'];

/** The variables of an environment of the collection. */
export function brunoVariables(folder: string, environment: string): Record<string, string> {
  return { ...pairsIn(blocksOf(join(folder, 'environments', `${environment}.bru`))['vars']) };
}

/** The requests of a Bruno collection, as far as the examples need it, in the order in which Bruno runs them. */
export function brunoRequests(folder: string): ExampleRequest[] {
  const usualToken = tokenIn(blocksOf(join(folder, 'collection.bru')));
  const folders = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'environments')
    .map(({ name }) => join(folder, name));
  return bySequence(folders, (name) => join(name, 'folder.bru'))
    .flatMap((name) => bySequence(requestFilesIn(name), (file) => file))
    .map((file) => requestIn(file, usualToken));
}

function requestFilesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name !== 'folder.bru')
    .map((name) => join(folder, name));
}

function bySequence(items: readonly string[], fileOf: (item: string) => string): string[] {
  const sequence = (item: string): number => Number(pairsIn(blocksOf(fileOf(item))['meta'])['seq']);
  return items.toSorted((one, other) => sequence(one) - sequence(other));
}

function requestIn(file: string, usualToken: string): ExampleRequest {
  const name = basename(file, '.bru');
  const blocks = blocksOf(file);
  const method = METHODS.find((candidate) => candidate in blocks)!;
  const { url = '', auth } = pairsIn(blocks[method]);
  const token = auth === 'inherit' ? usualToken : tokenIn(blocks);
  const captured = Object.entries(pairsIn(blocks['vars:post-response']));
  return {
    name,
    method: method.toUpperCase(),
    url,
    headers: {
      ...pairsIn(blocks['headers']),
      ...(auth === 'none' ? {} : { Authorization: `Bearer ${token}` }),
    },
    body: blocks['body:json'] ?? blocks['body:text']?.replaceAll(/^ {2}/gm, ''),
    expected: pairsIn(blocks['assert'])['res.status']?.match(/\d{3}/g)?.map(Number) ?? [],
    variables: Object.fromEntries(captured.map(([variable, path]) => [variable, ofAnswer(name, path)])),
  };
}

/** Bruno's `res.body.id` in the notation of an `.http` file. */
function ofAnswer(name: string, path: string): string {
  return `{{${name}.response.${path.replace(/^res\./, '').replace(/^body\./, 'body.$.')}}}`;
}

function tokenIn(blocks: Blocks): string {
  return pairsIn(blocks['auth:bearer'])['token'] ?? '';
}

function blocksOf(file: string): Blocks {
  const matches = readFileSync(file, 'utf8').matchAll(/^([\w:-]+) \{\n(.*?)^\}/gms);
  return Object.fromEntries([...matches].map(([, name, content]) => [name!, content!]));
}

function pairsIn(block = ''): Record<string, string> {
  const matches = block.matchAll(/^ *([^\s:]+): (.*)$/gm);
  return Object.fromEntries([...matches].map(([, key, value]) => [key!, value!]));
}
