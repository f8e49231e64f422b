import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import os from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { readBuildInfo } from '../src/actuator/info/build-info.js';
import { bodyOf } from './support/answers.js';
import { type Account, type Service, startService } from './support/service.js';

const PACKAGE = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, string>;
const TEXT = expect.any(String) as unknown;

describe('the actuator', () => {
  let service: Service;
  let admin: Account;

  beforeAll(async () => {
    service = await startService({ APPLICATION_NAME: 'my-ledger' });
    admin = await service.account('ADMIN');
  });

  it('says what was built, of what, and where it runs', async () => {
    const known = (value: unknown): unknown => (value === null ? null : TEXT);
    const body = bodyOf(await admin.get('/actuator/info'));
    const { build, git } = body as { build: { time: unknown }; git: { commit: { time: unknown } } };
    expect(body).toStrictEqual({
      app: { name: 'my-ledger', description: PACKAGE['description'] },
      build: {
        artifact: PACKAGE['name'],
        name: PACKAGE['name'],
        version: PACKAGE['version'],
        time: known(build.time),
      },
      git: { branch: TEXT, commit: { id: TEXT, time: known(git.commit.time) } },
      node: { version: process.version },
      os: { name: os.type(), version: os.release(), arch: os.arch() },
    });
  });

  it('lists links that lead to what there is', async () => {
    const { _links: links } = bodyOf(await admin.get('/actuator')) as {
      _links: Record<string, { href: string; templated: boolean }>;
    };
    expect(Object.keys(links)).toEqual(['self', 'health', 'health-path', 'info', 'prometheus']);
    for (const { href, templated } of Object.values(links)) {
      expect(templated).toBe(href.includes('{'));
      expect((await admin.get(href.replace('{*path}', 'readiness'))).status).toBe(200);
    }
  });

  it('puts nothing of the request into the links', async () => {
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      authorization: `Bearer ${admin.token!}`,
    };
    const answer = await new Promise<string>((resolve, reject) => {
      request(`${service.url}/actuator?evil.example`, { headers }, (response) => resolve(text(response)))
        .on('error', reject)
        .end();
    });
    expect(answer).toContain('"_links"');
    expect(answer).not.toContain('evil');
  });
});

describe('the facts of a build', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(os.tmpdir(), 'build-info-'));
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'package.json'), '{"name":"a","version":"1.2.3","description":"b"}');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const build = {
    time: '2026-01-15T10:30:00.000Z',
    git: { branch: 'main', commit: { id: 'c0ffee', time: 'then' } },
  };
  const unknown = { time: null, git: { branch: 'unknown', commit: { id: 'unknown', time: null } } };

  it('are what the build has written down', () => {
    writeFileSync(join(folder, 'dist', 'build-info.json'), JSON.stringify(build));
    expect(readBuildInfo(folder)).toStrictEqual({ name: 'a', version: '1.2.3', description: 'b', ...build });
  });

  it.each([
    { file: 'is missing', content: undefined },
    { file: 'is broken', content: '{' },
    { file: 'is empty', content: '' },
  ])('are unknown when the file $file', ({ content }) => {
    if (content !== undefined) writeFileSync(join(folder, 'dist', 'build-info.json'), content);
    expect(readBuildInfo(folder)).toStrictEqual({
      name: 'a',
      version: '1.2.3',
      description: 'b',
      ...unknown,
    });
  });
});
