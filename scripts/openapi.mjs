// Writes openapi.json anew from the code: npm run openapi. The database is not needed, and not asked for.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { createApp } from '../dist/src/app.js';
import { loadSettings } from '../dist/src/config/env.js';
import { createApiDocument } from '../dist/src/openapi/document.js';
import { root } from './lib/project.mjs';

const settings = loadSettings({
  LOG_LEVEL: 'silent',
  JWT_SECRET: 'for a process that serves nobody and knows nothing',
  DB_HOST: '127.0.0.1',
  DB_PORT: '1',
  DB_PASSWORD: 'none',
});
const app = await createApp(settings);
const document = createApiDocument(app);
await app.close();
writeFileSync(
  join(root, 'openapi.json'),
  await format(JSON.stringify(document), { parser: 'json', printWidth: 110 }),
);
