import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { readBuildInfo } from '../src/config/build-info.js';
import { bodyOf } from './support/responses.js';
import { opened } from './support/opened.js';
import { type Account, startService } from './support/service.js';
import { temporaryFolder } from './support/temporary-folder.js';

let admin: Account;
beforeAll(
  async () => void (admin = await (await startService({ APPLICATION_NAME: 'mine' })).account('ADMIN')),
);

it('GET /actuator/info answers the build and its platform', async () => {
  type Package = Record<'name' | 'version' | 'description', string>;
  const { name, version, description } = JSON.parse(readFileSync('package.json', 'utf8')) as Package;
  const { time, git } = readBuildInfo();
  expect((await admin.get('/actuator/info')).json).toStrictEqual({
    app: { name: 'mine', description },
    build: { artifact: name, name, version, time },
    git,
    node: { version: process.version },
    os: { name: os.type(), version: os.release(), arch: os.arch() },
  });
});

it('GET /actuator answers links to its operations, with nothing of the request in them', async () => {
  const response = await admin.get('/actuator?evil.example', { 'x-forwarded-host': 'evil.example' });
  expect(response.text).not.toContain('evil');
  const links = bodyOf(response)['_links'] as Record<string, { href: string; templated: boolean }>;
  expect(Object.keys(links)).toEqual(['self', 'health', 'health-path', 'info', 'prometheus']);
  for (const { href, templated } of Object.values(links)) {
    expect(templated).toBe(href.includes('{'));
    expect((await admin.get(href.replace('{*path}', 'readiness'))).status).toBe(200);
  }
});

const UNKNOWN = { time: null, git: { branch: 'unknown', commit: { id: 'unknown', time: null } } };
const BUILT = {
  time: '2026-01-15T10:30:00.000Z',
  git: { branch: 'main', commit: { id: 'c0', time: 'then' } },
};

it.each([
  [JSON.stringify(BUILT), BUILT],
  ['{', UNKNOWN],
  [undefined, UNKNOWN],
])('the build information of dist/build-info.json %s is %j', (content, facts) => {
  const folder = temporaryFolder({ defer: opened }, 'build-info');
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'package.json'), '{"name":"a","version":"1.2.3","description":"b"}');
  if (content !== undefined) writeFileSync(join(folder, 'dist', 'build-info.json'), content);
  expect(readBuildInfo(folder)).toStrictEqual({ name: 'a', version: '1.2.3', description: 'b', ...facts });
});
