import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
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

/** Path → what is served there. There is no other way to a file: no path of a request ever names one. */
export const ASSETS: Readonly<Record<string, Asset>> = {
  [PAGE]: own(HTML, 'page.html'),
  '/favicon.ico': own(ICO, 'favicon.ico'),
  '/docs/openapi.json': { type: JSON_TYPE, read: readDocument },
  '/docs/openapi.yaml': { type: YAML, read: writeYaml },
  '/docs/icon.svg': own(SVG, 'icon.svg'),
  '/docs/page.css': own(CSS, 'page.css'),
  '/docs/operations.css': own(CSS, 'operations.css'),
  '/docs/account.js': own(SCRIPT, 'account.js'),
  '/docs/contents.js': own(SCRIPT, 'contents.js'),
  '/docs/exact-json.js': own(SCRIPT, 'exact-json.js'),
  '/docs/page.js': own(SCRIPT, 'page.js'),
  '/docs/plugins.js': own(SCRIPT, 'plugins.js'),
  '/docs/session.js': own(SCRIPT, 'session.js'),
  '/docs/theme.js': own(SCRIPT, 'theme.js'),
  '/docs/swagger-ui.css': swagger(CSS, 'swagger-ui.css'),
  '/docs/swagger-ui-bundle.js': swagger(SCRIPT, 'swagger-ui-bundle.js'),
};

function own(type: string, name: string): Asset {
  return { type, read: () => readFile(new URL(`page/${name}`, import.meta.url)) };
}

function swagger(type: string, name: string): Asset {
  const { resolve } = createRequire(import.meta.url);
  return { type, read: () => readFile(resolve(`swagger-ui-dist/${name}`)) };
}

function readDocument(): Promise<string> {
  return readFile(join(projectFolder(), 'openapi.json'), 'utf8');
}

async function writeYaml(): Promise<string> {
  const [{ dump }, document] = await Promise.all([import('js-yaml'), readDocument()]);
  return dump(JSON.parse(document), { lineWidth: 110, noRefs: true });
}
