import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../bench/launch.js';
import { flag, text } from '../../../bench/options.js';
import type { Criterion } from '../../faults/protocol.js';
import { runCriteria } from '../../faults/support/command.js';
import { allSucceedFrom, criterion } from '../../faults/support/criteria.js';
import { count, tally } from '../../faults/support/figures.js';
import { Caller } from '../../faults/support/http.js';
import { Ledger } from '../../faults/support/ledger.js';
import { Load } from '../../faults/support/load.js';
import { type Rig, withRig } from '../../faults/support/rig.js';
import type { Change } from '../../support/deployed.js';
import { send } from '../../support/http.js';
import { until } from '../../support/until.js';
import { neighbours, uploads } from './clients.js';
import { guessing } from './guessing.js';
import { Instances } from './instances.js';
import { type Proxy, serverName, startHaproxy, startNginx, WITHOUT_RETRIES } from './proxies.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const RATE = { writes: 10, reads: 20 };
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
  const load = await startLoad(rig, pair, proxy);
  await sleep(1000);
  await pair.restartAll(checks);
  await load.stop();
  return [allSucceedFrom(`${title}: no request fails while both are restarted`, load.replies, 0)];
}

async function startLoad(rig: Rig, pair: Instances, { url, agent }: Proxy): Promise<Load> {
  const load = new Load(new Caller(url, agent), await rig.owners(pair.at(1).url, 2), new Ledger(), RATE);
  rig.defer(() => load.stop());
  return load.start();
}

/** A crash, and a start on a database that is not there: it listens, and cannot serve. */
async function unready(rig: Rig, env: Record<string, string>): Promise<Criterion[]> {
  const pair = await startPair(rig, env);
  const [port = 0] = pair.ports;
  const proxy = await startHaproxy(rig, pair.ports);
  const load = await startLoad(rig, pair, proxy);
  await sleep(2500);
  await pair.at(0).stop();
  const since = performance.now();
  rig.launch({ databaseUrl: NOWHERE, env }, port);
  const readiness = (): Promise<number> =>
    send(`http://127.0.0.1:${port}`, { method: 'GET', path: READINESS }).then((answer) => answer.status);
  await until(() => readiness().then(Boolean, () => false)); // it listens
  await sleep(3000);
  await load.stop();
  const forwarded = proxy.log.forwarded(since);
  const unserved = forwarded.filter(({ server }) => server === serverName(0));
  const status = await readiness();
  return [
    criterion('an instance without its database is not ready', status === 503, String(status)),
    criterion(
      'after a crash it is sent nothing, though it listens',
      forwarded.length > 0 && unserved.length === 0,
      `${count(unserved.length)} of ${count(forwarded.length)}; ${tally(load.replies.map((reply) => String(reply.status)))}`,
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
  const criteria = [
    ...(await guessing('nginx', proxy, owner!, TRIES)),
    await neighbours('nginx', proxy, TRIES),
    ...(await uploads('nginx', proxy, 4 * MIB)),
  ];
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
  return [
    ...(await guessing('HAProxy', proxy, owner!, TRIES)),
    await neighbours('HAProxy', proxy, TRIES),
    ...(await uploads('HAProxy', proxy, 8 * KIB)),
  ];
}

await runCriteria({
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
  async run({ delay, short }, atTheEnd, tell) {
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
    for (const part of parts) tell(await withRig(atTheEnd, part));
  },
});
