import { setTimeout as sleep } from 'node:timers/promises';
import { print, runCommand } from '../../bench/command.js';
import { freePort } from '../../bench/launch.js';
import { flag, text } from '../../bench/options.js';
import type { Criterion } from '../faults/protocol.js';
import { criterionLines } from '../faults/report.js';
import { criterion } from '../faults/support/criteria.js';
import { count, tally } from '../faults/support/figures.js';
import { type Rig, withRig } from '../faults/support/rig.js';
import type { Change } from '../support/deployed.js';
import { send } from '../support/http.js';
import { until } from '../support/until.js';
import { guessing } from './guessing.js';
import { Instances } from './instances.js';
import { startHaproxy, startNginx, WITHOUT_RETRIES } from './proxies.js';
import { Traffic } from './traffic.js';

const TRIES = 20;
/** Of HAProxy, each followed by so many requests at once. */
const STARTS = 5;
const BURST = 40;
/** It checks the second of two for the first time, so that there is time to send it something. */
const HALF_A_SECOND_LATER: readonly Change[] = [['inter 1s fastinter 100ms', 'inter 1s']];
const NOWHERE = 'postgres://nobody@127.0.0.1:1/none';
const READINESS = '/actuator/health/readiness';

/** How HAProxy checks by default, and no second try whatever happens. */
const UNFORGIVING: readonly Change[] = [
  [
    'check inter 1s fastinter 100ms fall 2 rise 2 observe layer4 error-limit 1 on-error mark-down',
    'check inter 2s fall 3',
  ],
  ...WITHOUT_RETRIES,
];

async function startPair(rig: Rig, env: Record<string, string>): Promise<Instances> {
  return Instances.together(rig, (await rig.cluster()).url, 2, env);
}

async function rollingRestart(
  rig: Rig,
  env: Record<string, string>,
  title: string,
  changes: readonly Change[],
  checks: number,
): Promise<Criterion[]> {
  const pair = await startPair(rig, env);
  const proxy = await startHaproxy(rig, pair.ports, changes);
  const traffic = new Traffic(proxy, await rig.owners(pair.at(0).url, 2));
  await sleep(1000);
  await pair.restartAll(checks);
  return [traffic.allSucceed(`${title}: no request fails while both are restarted`, await traffic.stop())];
}

/** A crash, and a start on a database that is not there: it listens, and cannot serve. */
async function unready(rig: Rig, env: Record<string, string>): Promise<Criterion[]> {
  const pair = await startPair(rig, env);
  const [port = 0] = pair.ports;
  const proxy = await startHaproxy(rig, pair.ports);
  const traffic = new Traffic(proxy, await rig.owners(pair.at(1).url, 2));
  await sleep(2500);
  await pair.at(0).kill();
  rig.launch({ databaseUrl: NOWHERE, env }, port);
  const readiness = (): Promise<number> =>
    send(`http://127.0.0.1:${port}`, { method: 'GET', path: READINESS }).then((answer) => answer.status);
  await until(() => readiness().then(Boolean, () => false)); // it listens
  await sleep(3000);
  const replies = await traffic.stop();
  const unserved = replies.filter(({ status, text }) => status === 503 && text.includes('database'));
  const status = await readiness();
  return [
    criterion('an instance without its database is not ready', status === 503, String(status)),
    criterion(
      'after a crash it is sent nothing, though it listens',
      unserved.length === 0,
      `${count(unserved.length)} of ${count(replies.length)}; ${tally(replies.map((reply) => String(reply.status)))}`,
    ),
    await firstMoment(rig, [...pair.ports].reverse()),
  ];
}

/** HAProxy has just started, and knows nothing yet of an instance that is not ready: the last, which it checks last. */
async function firstMoment(rig: Rig, ports: readonly number[]): Promise<Criterion> {
  const statuses: number[] = [];
  for (let start = 0; start < STARTS; start++) {
    const { url, agent } = await startHaproxy(rig, ports, HALF_A_SECOND_LATER);
    const burst = Array.from({ length: BURST }, () =>
      send(url, { method: 'GET', path: READINESS }, { agent }),
    );
    statuses.push(...(await Promise.all(burst)).map((answer) => answer.status));
    agent.destroy();
  }
  return criterion(
    'nor in the first moment after a start of HAProxy',
    statuses.every((status) => status === 200),
    tally(statuses.map(String)),
  );
}

async function nginx(rig: Rig): Promise<Criterion[]> {
  const cluster = await rig.cluster();
  const service = await rig.launch({ databaseUrl: cluster.url }, await freePort()).ready();
  const proxy = await startNginx(rig, service.port);
  const [owner] = await rig.owners(service.url, 1);
  const criteria = await guessing('nginx', proxy, owner, TRIES);
  service.signal('SIGTERM');
  await service.exited;
  const { status, headers } = await send(
    proxy.url,
    { method: 'GET', path: '/api/users/me' },
    { agent: proxy.agent },
  );
  const told = `${status}, ${headers['content-type'] ?? ''}, Retry-After ${headers['retry-after'] ?? 'none'}`;
  const isRight = status === 503 && headers['content-type'] === 'application/problem+json';
  return [...criteria, criterion('nginx: without the service it answers 503, as a problem', isRight, told)];
}

async function haproxyGuessing(rig: Rig, env: Record<string, string>): Promise<Criterion[]> {
  const pair = await startPair(rig, env);
  const proxy = await startHaproxy(rig, pair.ports);
  const [owner] = await rig.owners(pair.at(0).url, 1);
  return guessing('HAProxy', proxy, owner, TRIES);
}

await runCommand({
  call: 'npm run test:proxy',
  about:
    'Runs the files of deploy/proxy in front of real instances: HAProxy through the restart of both under load, as it ' +
    'is and checking every two seconds three times without a second try; an instance that crashes and comes back ' +
    'without its database; TLS and the limit on sign-in, with nginx as well. Takes two minutes. HAProxy and nginx ' +
    'have to be installed.',
  options: {
    delay: text('DURATION', 'the SHUTDOWN_DELAY of the instances (what the service has by default)'),
    short: flag('without the restarts'),
  },
  example: '--delay 500ms',
  success: 'no criterion is missed',
  failure: 'one is, or nothing could be run',
  async run({ delay, short }, atTheEnd) {
    const env = { SHUTDOWN_DELAY: delay ?? '' }; // blank is the default
    const parts: ((rig: Rig) => Promise<Criterion[]>)[] = [
      (rig) => haproxyGuessing(rig, { SHUTDOWN_DELAY: '0s' }),
      nginx,
      (rig) => unready(rig, { SHUTDOWN_DELAY: '0s' }),
    ];
    if (!short)
      parts.push(
        (rig) => rollingRestart(rig, env, 'HAProxy as it is', [], 1000),
        (rig) => rollingRestart(rig, env, 'HAProxy, 2 s, three times, no second try', UNFORGIVING, 2000),
      );
    const criteria: Criterion[] = [];
    for (const part of parts) criteria.push(...(await withRig(atTheEnd, part)));
    print(criterionLines(criteria));
    return criteria.every(({ passed }) => passed) ? 0 : 1;
  },
});
