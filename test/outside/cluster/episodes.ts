import { setTimeout as sleep } from 'node:timers/promises';
import type { Criterion } from '../../faults/protocol.js';
import { criterion, within } from '../../faults/support/criteria.js';
import { count, highest, tally, time } from '../../faults/support/figures.js';
import type { Reply } from '../../faults/support/http.js';
import type { Instances } from '../proxy/instances.js';
import { type Proxy, serverName } from '../proxy/proxies.js';
import type { Episode, Traffic } from './traffic.js';

/** Of deploy/proxy/haproxy.cfg: a check every second, which may take two, and the second failure counts. */
const CHECK = 1000;
const CHECK_TIMEOUT = 2000;
const OUT_WITHIN = 2 * (CHECK + CHECK_TIMEOUT);
const BACK_WITHIN = 2 * CHECK + 2000;
/** In which others must show that they serve alone, or that it serves again. */
const WATCH = 1500;
const [KILLED, STOPPED] = [1, 2];

export interface Cluster {
  readonly instances: Instances;
  readonly proxy: Proxy;
  readonly traffic: Traffic;
  /** Whether the balancer tries again when an instance refuses the connection. */
  readonly retries: boolean;
}

export async function rollingRestart({ instances, proxy, traffic }: Cluster): Promise<Criterion[]> {
  const since = performance.now();
  return traffic.during(
    () => instances.restartAll(CHECK),
    (_, episode) => [noneFails('no request fails', episode), allServe(proxy, instances, since)],
  );
}

interface Death {
  /** Of the signal, and of the end of the process. */
  readonly at: number;
  readonly over: number;
  /** When the balancer has noticed, and when it has taken the next process. */
  readonly noticed: number;
  readonly back: number;
}

/** `kill -9` of one instance, which a supervisor starts again. */
export async function killed(cluster: Cluster): Promise<Criterion[]> {
  const { instances, proxy, traffic } = cluster;
  const server = `Server service/${serverName(KILLED)}`;
  const die = async (): Promise<Death> => {
    const at = performance.now();
    await instances.at(KILLED).stop();
    const over = performance.now();
    const noticed = await proxy.log.said(`${server} is DOWN`, at, OUT_WITHIN);
    await sleep(WATCH);
    await instances.startAgain(KILLED);
    const started = performance.now();
    const back = (await proxy.log.said(`${server} is UP`, started, BACK_WITHIN)) - started;
    await sleep(WATCH);
    return { at, over, noticed, back };
  };
  return traffic.during(die, (death, episode) => [
    nothingElseFails(cluster, death, episode),
    noneFailsElsewhere(proxy, KILLED, death.at),
    within('out of rotation', death.noticed - death.at, CHECK),
    within('back in rotation, ready', death.back, BACK_WITHIN),
  ]);
}

/** Without a second try those fail as well that are sent to it until the balancer has noticed. */
function nothingElseFails({ retries }: Cluster, death: Death, { replies, failed }: Episode): Criterion {
  const { at, over, noticed } = death;
  const its = failed.filter(
    ({ sentAt, took, status }) => sentAt <= noticed && sentAt + took >= at && !(retries && status === 503),
  );
  const strange = failed.filter((reply) => !its.includes(reply));
  const late = its.filter(({ sentAt }) => sentAt > over).length;
  return criterion(
    `nothing fails but its requests in flight${retries ? '' : ', and those it refuses'}`,
    strange.length === 0,
    strange.length > 0
      ? tally(strange.map(wordsOf))
      : `${count(its.length - late)} in flight, ${count(late)} until noticed, of ${count(replies.length)}`,
  );
}

function noneFailsElsewhere({ log }: Proxy, index: number, since: number): Criterion {
  const failed = log
    .forwarded(since)
    .filter(({ status, server }) => (status < 0 || status >= 500) && server !== serverName(index));
  return criterion('no request fails at another instance', failed.length === 0, count(failed.length));
}

interface Stop {
  readonly at: number;
  readonly out: number;
  readonly went: number;
  readonly back: number;
}

/** SIGSTOP: connections are still taken, and nothing is answered; later SIGCONT. */
export async function stopped({ instances, proxy, traffic }: Cluster): Promise<Criterion[]> {
  const name = serverName(STOPPED);
  const server = `Server service/${name}`;
  const stop = async (): Promise<Stop> => {
    const at = performance.now();
    instances.at(STOPPED).signal('SIGSTOP');
    const out = await proxy.log.said(`${server} is DOWN`, at, OUT_WITHIN + CHECK);
    await sleep(WATCH);
    const went = performance.now();
    instances.at(STOPPED).signal('SIGCONT');
    const back = (await proxy.log.said(`${server} is UP`, went, BACK_WITHIN + CHECK)) - went;
    await sleep(WATCH);
    return { at, out, went, back };
  };
  return traffic.during(stop, ({ at, out, went, back }, episode) => {
    const its = proxy.log.forwarded(at).filter((request) => request.server === name);
    const late = its.filter((request) => request.at > out && request.at < went);
    const again = its.filter((request) => request.at > went + back);
    return [
      // Its clock has jumped, so that it may give up what it had.
      noneFails('nothing fails but what it held all the time', {
        ...episode,
        failed: episode.failed.filter(({ sentAt, took }) => sentAt > out || sentAt + took < went),
      }),
      noneFailsElsewhere(proxy, STOPPED, at),
      within('out of rotation', out - at, OUT_WITHIN),
      criterion('it is sent nothing while it is out', late.length === 0, count(late.length)),
      within('back in rotation', back, BACK_WITHIN),
      criterion('it serves again', again.length > 0, count(again.length)),
    ];
  });
}

function noneFails(name: string, { replies, failed }: Episode): Criterion {
  const slowest = time(highest(replies.map(({ took }) => took)));
  const told = `${count(failed.length)} of ${count(replies.length)} failed, the slowest took ${slowest}`;
  return criterion(
    name,
    replies.length > 0 && failed.length === 0,
    failed.length === 0 ? told : `${told}: ${tally(failed.map(wordsOf))}`,
  );
}

function allServe({ log }: Proxy, { ports }: Instances, since: number): Criterion {
  const requests = log.forwarded(since);
  const shares = [...ports.keys()].map(
    (index) => requests.filter(({ server }) => server === serverName(index)).length,
  );
  const least = requests.length / ports.length / 4;
  return criterion(
    'every instance takes its share',
    shares.every((share) => share >= least),
    shares.map(count).join(', '),
  );
}

function wordsOf({ method, path, status, error }: Reply): string {
  return `${method} ${path.replace(/\d+$/, '{id}')} ${error ?? String(status)}`;
}
