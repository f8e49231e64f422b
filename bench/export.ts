import http from 'node:http';
import { print, progress } from './command.js';
import { ADMIN } from './dataset.js';
import { memoryDuring } from './processes.js';
import { atMost, digits, known, type Verdict } from './report.js';
import type { Server } from './servers.js';
import { LIMITS } from './targets.js';
import type { World } from './world.js';

const MEDIA_TYPES = ['text/csv', 'application/x-ndjson'];
const NEWLINE = 10;

/** What a service that has just begun to serve needs more for a file of all rows, which only an ADMIN gets. */
export async function measureExport(server: Server, world: World): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const mediaType of MEDIA_TYPES) {
    progress(`export as ${mediaType}`);
    await exportAs(mediaType, server, world, { maxAmount: 1 });
    const { bytes, newlines, seconds, before, most } = await memoryDuring(server.pid, () =>
      exportAs(mediaType, server, world, {}),
    );
    print(
      `export as ${mediaType}: ${newlines.toLocaleString('en')} lines, ${digits(bytes / 1e6)} MB in ${digits(seconds)} s; ` +
        `resident memory ${digits(before)} MB before, at most ${digits(most)} MB\n`,
    );
    verdicts.push(atMost(`memory for an export as ${mediaType}`, most - before, LIMITS.exportMemory, ' MB'));
  }
  return known(verdicts);
}

async function exportAs(
  accept: string,
  { url }: Server,
  world: World,
  search: object,
): Promise<{ bytes: number; newlines: number; seconds: number }> {
  const start = performance.now();
  const headers = { authorization: world.authorization(ADMIN), accept, 'content-type': 'application/json' };
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const options = { method: 'POST', headers, agent: false };
    http
      .request(`${url}/api/transactions/export`, options, resolve)
      .on('error', reject)
      .end(JSON.stringify(search));
  });
  if (response.statusCode !== 200) throw new Error(`the export is answered ${response.statusCode ?? 0}`);
  let bytes = 0;
  let newlines = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    for (let at = part.indexOf(NEWLINE); at >= 0; at = part.indexOf(NEWLINE, at + 1)) newlines++;
  }
  return { bytes, newlines, seconds: (performance.now() - start) / 1000 };
}
