import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { readBuildInfo } from '../src/actuator/info/build-info.js';
import { type Account, type Service, startService } from './support/service.js';

const { name, version, description } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
  string,
  string
>;
const UNKNOWN = { time: null, git: { branch: 'unknown', commit: { id: 'unknown', time: null } } };

describe('the actuator', () => {
  let service: Service;
  let admin: Account;

  beforeAll(async () => {
    service = await startService({ APPLICATION_NAME: 'my-ledger' });
    admin = await service.account('ADMIN');
  });

  it('answers the build and its platform at /info', async () => {
    const { time, git } = readBuildInfo();
    expect((await admin.get('/actuator/info')).json).toStrictEqual({
      app: { name: 'my-ledger', description },
      build: { artifact: name, name, version, time },
      git,
      node: { version: process.version },
      os: { name: os.type(), version: os.release(), arch: os.arch() },
    });
  });

  it('answers links to its operations, with nothing of the request in them', async () => {
    const { text } = await admin.get('/actuator?evil.example', { 'x-forwarded-host': 'evil.example' });
    expect(text).not.toContain('evil');
    const { _links: links } = JSON.parse(text) as {
      _links: Record<string, { href: string; templated: boolean }>;
    };
    expect(Object.keys(links)).toEqual(['self', 'health', 'health-path', 'info', 'prometheus']);
    for (const { href, templated } of Object.values(links)) {
      expect(templated).toBe(href.includes('{'));
      expect((await admin.get(href.replace('{*path}', 'readiness'))).status).toBe(200);
    }
  });
});

it.each([
  [{ time: '2026-01-15T10:30:00.000Z', git: { branch: 'main', commit: { id: 'c0ffee', time: 'then' } } }],
  [undefined],
  ['{'],
  [''],
])('the build information is that of build-info.json, else unknown: %j', (content) => {
  const folder = mkdtempSync(join(os.tmpdir(), 'build-info-'));
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'package.json'), '{"name":"a","version":"1.2.3","description":"b"}');
  const file = join(folder, 'dist', 'build-info.json');
  if (content !== undefined)
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  const facts = typeof content === 'object' ? content : UNKNOWN;
  expect(readBuildInfo(folder)).toStrictEqual({ name: 'a', version: '1.2.3', description: 'b', ...facts });
  rmSync(folder, { recursive: true });
});
