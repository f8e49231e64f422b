import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../config/project-folder.js';

/** A file of the documentation. It is read when it is first asked for: most processes never serve it. */
export interface Asset {
  readonly type: string;
  read(): Promise<string | Buffer>;
}

const HTML = 'text/html; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const SVG = 'image/svg+xml';
const ICO = 'image/x-icon';
const JSON_TYPE = 'application/json';
const YAML = 'application/yaml';

/** The page itself, to which the others are relative. */
export const PAGE = '/docs';

const SCRIPTS = [
  'account',
  'answer',
  'contents',
  'dom',
  'exact-json',
  'fields',
  'markdown',
  'meaning',
  'operation',
  'operations',
  'own-rows',
  'page',
  'request-form',
  'samples',
  'session',
  'theme',
];

/** Path → what is served there. There is no other way to a file: no path of a request ever names one. */
export const ASSETS: Readonly<Record<string, Asset>> = {
  [PAGE]: own(HTML, 'page.html'),
  '/favicon.ico': own(ICO, 'favicon.ico'),
  '/docs/openapi.json': { type: JSON_TYPE, read: readDocument },
  '/docs/openapi.yaml': { type: YAML, read: writeYaml },
  '/docs/icon.svg': own(SVG, 'icon.svg'),
  '/docs/page.css': own(CSS, 'page.css'),
  '/docs/operations.css': own(CSS, 'operations.css'),
  ...Object.fromEntries(SCRIPTS.map((name) => [`/docs/${name}.js`, own(SCRIPT, `${name}.js`)])),
};

function own(type: string, name: string): Asset {
  return { type, read: () => readFile(new URL(`page/${name}`, import.meta.url)) };
}

function readDocument(): Promise<string> {
  return readFile(join(projectFolder(), 'openapi.json'), 'utf8');
}

async function writeYaml(): Promise<string> {
  const [{ dump }, document] = await Promise.all([import('js-yaml'), readDocument()]);
  return dump(JSON.parse(document), { lineWidth: 110, noRefs: true });
}
