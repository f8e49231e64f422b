import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cleanup } from '../../../bench/cleanup.js';
import type { Criterion } from '../../faults/protocol.js';
import { criterion } from '../../faults/support/criteria.js';
import { TEST_SECRET } from '../../support/settings.js';
import { timeUntil } from '../../support/until.js';
import { metricsCriterion, scrapesCriterion } from './checks.js';
import { SCRAPER } from './databases.js';
import type { Instance } from './instance.js';
import { ownUser, startAs } from './programs.js';
import type { Stage } from './stage.js';

const LIFETIME = '20s';
const RENEWALS = 10;
const RENEWED_WITHIN = 180_000;

/** An ADMIN's token of a short life, kept fresh as the README says. */
export async function renewalCriteria(
  stage: Stage,
  instance: Instance,
  databaseUrl: string,
  cleanup: Cleanup,
): Promise<Criterion[]> {
  const { api, configuration, user } = stage;
  const env = { JWT_EXPIRATION: LIFETIME };
  await instance.stop();
  const writer = ownUser(user.gid);
  configuration.makeSecrets(writer);
  const mint = ['scripts/cli.mjs', 'token', 'mint', '--user', SCRAPER, '--watch'];
  const command = [process.execPath, ...mint, '--out', configuration.tokenFile] as const;
  const secrets = { JWT_SECRET: TEST_SECRET, DB_URL: databaseUrl, DB_PASSWORD: 'unused' };
  startAs({ user: writer, command, env: { ...env, ...secrets } }, cleanup);
  await instance.start(env);
  await sleep(5000); // until Prometheus has seen both
  const start = performance.now();
  const tokens = new Set<string>();
  const look = (): boolean => tokens.add(readFileSync(configuration.tokenFile, 'utf8')).size > RENEWALS;
  await timeUntil(look, RENEWED_WITHIN, 500);
  const seconds = (performance.now() - start) / 1000;
  return [
    criterion(
      `an ADMIN's token of ${LIFETIME} is renewed`,
      tokens.size > RENEWALS,
      `${tokens.size - 1} times in ${seconds.toFixed(0)} s`,
    ),
    await scrapesCriterion('no scrape fails meanwhile', api, instance.name, seconds),
    await metricsCriterion(instance.url, readFileSync(configuration.tokenFile, 'utf8').trim()),
  ];
}
