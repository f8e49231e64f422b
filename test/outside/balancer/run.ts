import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../bench/launch.js';
import type { Criterion } from '../../faults/protocol.js';
import { newOwners } from '../../faults/support/accounts.js';
import type { Cluster } from '../../faults/support/cluster.js';
import { runCriteria } from '../../faults/support/command.js';
import { allSucceedFrom, criterion, none, within } from '../../faults/support/criteria.js';
import { count } from '../../faults/support/figures.js';
import { Caller, type Reply, succeeded } from '../../faults/support/http.js';
import { Load } from '../../faults/support/load.js';
import { type Rig, withRig } from '../../faults/support/rig.js';
import type { Service } from '../../faults/support/service.js';
import { send } from '../../support/client.js';
import { timeUntil } from '../../support/until.js';
import type { Change } from '../support/deployed.js';
import { guessing, uploads } from './limits.js';
import { forwarded, type Proxy, serverName, startHaproxy, startNginx } from './proxies.js';

const [KIB, MIB] = [2 ** 10, 2 ** 20];
const INSTANCES = 3;
const [KILLED, STOPPED] = [1, 2];
/** Requests per second. */
const RATE = { reads: 40, writes: 20 };
/** Of deploy/proxy/haproxy.cfg: a check every second, which may take two, and the second failure counts. */
const [CHECK, CHECK_TIMEOUT, FALL, RISE] = [1000, 2000, 2, 2];
const OUT_WITHIN = FALL * (CHECK + CHECK_TIMEOUT) + CHECK;
const BACK_WITHIN = RISE * CHECK + 2000;
/** Long enough to see where requests go. */
const WATCH = 1500;
/** Starts of HAProxy, each followed by so many requests at once. */
const [STARTS, BURST] = [5, 40];
const NOWHERE = 'postgres://nobody@127.0.0.1:1/none';
const READINESS = { method: 'GET', path: '/actuator/health/readiness' };
const CHECKS = 'check inter 1s fastinter 100ms fall 2 rise 2 observe layer4 error-limit 1 on-error mark-down';

/** HAProxy's default checks, and no second try. */
const UNFORGIVING: readonly Change[] = [
  [CHECKS, 'check inter 2s fall 3'],
  ['retries 2', 'retries 0'],
  ['retry-on conn-failure', ''],
  ['option redispatch 1', 'no option redispatch'],
];
/** HAProxy checks the last server late enough to be sent requests before. */
const LATE_CHECK: readonly Change[] = [['inter 1s fastinter 100ms', 'inter 1s']];

/** Several instances on one database, each at the same port whenever it starts. */
interface Setting {
  readonly rig: Rig;
  readonly database: Cluster;
  readonly ports: readonly number[];
  readonly instances: Service[];
  readonly load: Load;
}

async function start(
  { rig, database, ports, instances }: Omit<Setting, 'load'>,
  index: number,
): Promise<void> {
  const env = { SHUTDOWN_DELAY: '' }; // blank is the service's default, other than the rig's
  instances[index] = await rig.launch({ databaseUrl: database.url, env }, ports[index]).ready();
}

/** Sends a load through the proxy; the function that it returns ends it, and checks the clients' book. */
async function underLoad({ load, database }: Setting, proxy: Proxy) {
  const begin = performance.now();
  load.start(new Caller(proxy.url, proxy.agent));
  await sleep(1000);
  return async () => {
    await load.stop();
    const replies = load.replies.filter(({ sentAt }) => sentAt >= begin);
    const failed = replies.filter((reply) => !succeeded(reply));
    return { replies, failed, books: await load.ledger.check(database.sql) };
  };
}

const wordsOf = ({ method, path, status, error }: Reply): string =>
  `${method} ${path.replace(/\d+$/, '{id}')} ${error ?? status}`;

/** Milliseconds until HAProxy logs this, behind so much of its log. */
const logged = ({ program }: Proxy, words: string, behind: number, within: number): Promise<number> =>
  timeUntil(() => program.output.includes(words, behind), within);

/** `kill -9` of one instance, which its supervisor starts without its database at first. */
async function killed(setting: Setting, proxy: Proxy): Promise<Criterion[]> {
  const { rig, ports, instances } = setting;
  const [name, port] = [serverName(KILLED), ports[KILLED]!];
  const end = await underLoad(setting, proxy);
  const at = performance.now();
  const before = proxy.program.output.length;
  await instances[KILLED]!.stop();
  const noticed = performance.now() + (await logged(proxy, `service/${name} is DOWN`, before, OUT_WITHIN));
  const unready = await rig.launch({ databaseUrl: NOWHERE }, port).listens(port);
  const { status } = await send(`http://127.0.0.1:${port}`, READINESS);
  await sleep(2 * WATCH);
  const refused = await refusedAtFirst(rig, [...ports.filter((other) => other !== port), port]);
  const requests = forwarded(proxy, noticed);
  const sent = requests.filter(({ server }) => server === name).length;
  await unready.stop();
  const meanwhile = proxy.program.output.length;
  await start(setting, KILLED);
  const back = await logged(proxy, `service/${name} is UP`, meanwhile, BACK_WITHIN);
  const { failed, books } = await end();
  const inFlight = ({ sentAt, took, status: code }: Reply): boolean =>
    sentAt <= noticed && sentAt + took >= at && code !== 503;
  return [
    none('failure but of its requests in flight', failed.filter((reply) => !inFlight(reply)).map(wordsOf)),
    within('out of rotation', noticed - at, CHECK),
    criterion('without its database it is not ready', status === 503, String(status)),
    criterion('and is sent nothing', sent === 0 && requests.length > 0, `${sent} of ${requests.length}`),
    none('request sent to it right after a start of HAProxy', refused),
    within('back in rotation, ready', back, BACK_WITHIN),
    ...books,
  ];
}

/** Each time HAProxy has just started and does not know yet that the last instance is not ready. */
async function refusedAtFirst(rig: Rig, ports: readonly number[]): Promise<string[]> {
  const statuses: number[] = [];
  for (let tries = 0; tries < STARTS; tries++) {
    const { url, agent } = await startHaproxy(rig, ports, LATE_CHECK);
    const burst = Array.from({ length: BURST }, () => send(url, READINESS, { agent }));
    statuses.push(...(await Promise.all(burst)).map(({ status }) => status));
    agent.destroy();
  }
  return statuses.filter((status) => status !== 200).map(String);
}

/** SIGSTOP: the instance takes connections and answers nothing; later SIGCONT. */
async function stopped(setting: Setting, proxy: Proxy): Promise<Criterion[]> {
  const [name, instance] = [serverName(STOPPED), setting.instances[STOPPED]!];
  const end = await underLoad(setting, proxy);
  const at = performance.now();
  const before = proxy.program.output.length;
  instance.signal('SIGSTOP');
  const out = at + (await logged(proxy, `service/${name} is DOWN`, before, OUT_WITHIN));
  await sleep(WATCH);
  const went = performance.now();
  instance.signal('SIGCONT');
  const back = await logged(proxy, `service/${name} is UP`, before, BACK_WITHIN + CHECK);
  const { failed, books } = await end();
  const its = forwarded(proxy, at).filter(({ server }) => server === name);
  const late = its.filter((request) => request.at > out && request.at < went).length;
  // Its clock has jumped: it may give up the requests that it held.
  const others = failed.filter(({ sentAt, took }) => sentAt > out || sentAt + took < went);
  return [
    none('failure but of requests that it held', others.map(wordsOf)),
    within('out of rotation', out - at, OUT_WITHIN - CHECK),
    criterion('it is sent nothing while it is out', late === 0, count(late)),
    within('back in rotation', back, BACK_WITHIN),
    ...books,
  ];
}

/** One instance after the other, while HAProxy checks as by default and tries nothing again. */
async function restarted(setting: Setting): Promise<Criterion[]> {
  const proxy = await startHaproxy(setting.rig, setting.ports, UNFORGIVING);
  const end = await underLoad(setting, proxy);
  for (const [index, instance] of [...setting.instances.entries()]) {
    instance.signal('SIGTERM');
    await instance.exited;
    await start(setting, index);
    await sleep(RISE * 2 * CHECK + 1000); // until HAProxy takes it back
  }
  const { replies, books } = await end();
  return [allSucceedFrom('no request fails', replies, 0), ...books];
}

async function nginx(rig: Rig): Promise<Criterion[]> {
  const { url: databaseUrl } = await rig.cluster();
  const service = await rig.launch({ databaseUrl }, await freePort()).ready();
  const proxy = await startNginx(rig, service.port);
  const criteria = [...(await guessing('nginx', proxy)), ...(await uploads('nginx', proxy, 4 * MIB))];
  await service.stop();
  const { status, headers } = await send(proxy.url, READINESS, { agent: proxy.agent });
  const isProblem = status === 503 && headers.get('content-type') === 'application/problem+json';
  return [
    ...criteria,
    criterion('nginx: without the service it answers a 503 problem', isProblem, `${status}`),
  ];
}

await runCriteria({
  call: 'npm run test:balancer',
  about:
    'Three instances behind HAProxy with deploy/proxy, at 60 requests a second: one instance is killed, one is stopped, ' +
    'and all are restarted one after the other, with HAProxy’s default checks and no second try. Rows and totals must ' +
    'match the responses of the writes. Then the limits of HAProxy and nginx on sign-in and bodies. Needs HAProxy and nginx.',
  async run(_, atTheEnd, tell) {
    await withRig(atTheEnd, async (rig) => {
      const ports = await Promise.all(Array.from({ length: INSTANCES }, () => freePort()));
      const fixed = { rig, database: await rig.cluster(), ports, instances: [] };
      for (const index of ports.keys()) await start(fixed, index);
      const url = `http://127.0.0.1:${ports[0]}`;
      const setting = { ...fixed, load: new Load(rig, url, await newOwners(url), RATE) };
      const proxy = await startHaproxy(rig, ports);
      tell(await killed(setting, proxy), 'one killed');
      tell(await stopped(setting, proxy), 'one stopped');
      tell(await restarted(setting), 'one restarted after the other');
      tell(await guessing('HAProxy', proxy), 'limits');
      tell(await uploads('HAProxy', proxy, 8 * KIB));
    });
    tell(await withRig(atTheEnd, nginx));
  },
});
