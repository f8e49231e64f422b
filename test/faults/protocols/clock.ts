import { setTimeout as sleep } from 'node:timers/promises';
import { claimsOf, contentOf, forge, inSeconds } from '../../support/forged-token.js';
import { transactionRequest } from '../../support/factories.js';
import { withClockOff } from '../../support/wrong-clock.js';
import type { Criterion, Protocol } from '../protocol.js';
import { type Account, newOwners, type Owner } from '../support/accounts.js';
import { allSucceedFrom, criterion, serviceIsWell } from '../support/criteria.js';
import { time } from '../support/figures.js';
import { Caller, jsonIn, withCaller } from '../support/http.js';
import { Load } from '../support/load.js';
import { type Rig, type Scene, settle } from '../support/rig.js';
import type { Service } from '../support/service.js';

const HOUR = 3_600_000;
const SHIFTS = { right: 0, ahead: 2 * HOUR, behind: -2 * HOUR };
type Clock = keyof typeof SHIFTS;
const CLOCKS = Object.keys(SHIFTS) as Clock[];
const LIGHT_RATE = { writes: 50, reads: 50 };
const CLOCK_MARGIN = 60_000;
/** How far ahead of the judge's clock a token may have been issued. */
const ISSUE_LEEWAY = 60_000;

export const CLOCK_OFF: Protocol = {
  name: 'clock',
  title: 'services whose clocks are two hours ahead and behind of PostgreSQL and of each other',
  async run(rig, { short }) {
    const scene = await rig.scene({ rate: LIGHT_RATE });
    const services = {
      right: scene.service,
      ahead: await withClock(rig, scene, 'ahead').ready(),
      behind: await withClock(rig, scene, 'behind').ready(),
    };
    const account = scene.owners[0]!;
    const tokens = await signInAt(services, account);
    const loads = await startLoads(rig, scene, services);
    const accepted = [
      ...(await judgeTokens(services, tokens)),
      ...(await forgedTokens(scene.service.url, account.id)),
    ];
    const created = await createdAt(services.ahead, loads.ahead.owner);
    await sleep(short ? 2000 : 20_000);
    for (const { load } of Object.values(loads)) await load.stop();
    const strays = await scene.cluster.sql<{ number: number }>(
      `DELETE FROM transactions WHERE booking_reference IS NULL RETURNING 1 AS number`,
    );
    return [
      ...(await settle(scene)),
      ...accepted,
      criterion(
        "times are PostgreSQL's",
        created < CLOCK_MARGIN && strays.length === 1,
        `${time(created)} off`,
      ),
      ...CLOCKS.map((clock) =>
        allSucceedFrom(`the clock ${clock}: every request succeeds`, loads[clock].load.replies, 0),
      ),
      ...CLOCKS.flatMap((clock) => serviceIsWell(services[clock])),
    ];
  },
};

function withClock(rig: Rig, { cluster }: Scene, clock: Clock): Service {
  return rig.launch({ databaseUrl: cluster.url, nodeArgs: withClockOff(SHIFTS[clock]), name: clock });
}

/** A token of each service, by its own clock. */
async function signInAt(
  services: Readonly<Record<Clock, Service>>,
  { username, password }: Account,
): Promise<Record<Clock, string>> {
  const tokens = { right: '', ahead: '', behind: '' };
  for (const clock of CLOCKS)
    await withCaller(services[clock].url, async (caller) => {
      const answer = await caller.post('/api/auth/signin', { username, password });
      const { accessToken } = jsonIn(answer) as { accessToken: string };
      tokens[clock] = accessToken;
    });
  return tokens;
}

/** Each service's token at each service: the clock of the one that is asked says whether it has begun and not expired. */
async function judgeTokens(
  services: Readonly<Record<Clock, Service>>,
  tokens: Readonly<Record<Clock, string>>,
): Promise<Criterion[]> {
  const found: Criterion[] = [];
  for (const issuer of CLOCKS) {
    for (const judge of CLOCKS) {
      const { iat, exp } = contentOf(tokens[issuer], 1) as { iat: number; exp: number };
      const now = Date.now() + SHIFTS[judge];
      const expected = iat * 1000 <= now + ISSUE_LEEWAY && exp * 1000 > now ? 200 : 401;
      const status = await statusOf(services[judge].url, tokens[issuer]);
      const name = `a token of the clock ${issuer} where it is ${judge}: ${expected}`;
      found.push(criterion(name, status === expected, String(status)));
    }
  }
  return found;
}

/** By a service whose clock is right. */
async function forgedTokens(url: string, id: string): Promise<Criterion[]> {
  const cases: [name: string, claims: Record<string, number>, expected: number][] = [
    ['issued in two hours, good for three', { iat: inSeconds(7200), exp: inSeconds(10_800) }, 401],
    ['issued in half a minute', { iat: inSeconds(30), exp: inSeconds(600) }, 200],
    ['issued in two hours, expired before that', { iat: inSeconds(7200), exp: inSeconds(600) }, 401],
    ['issued two hours ago, expired an hour ago', { iat: inSeconds(-7200), exp: inSeconds(-3600) }, 401],
  ];
  const found: Criterion[] = [];
  for (const [name, claims, expected] of cases) {
    const status = await statusOf(url, forge({ payload: claimsOf({ id }, claims) }));
    found.push(criterion(`a token ${name}: ${expected}`, status === expected, String(status)));
  }
  return found;
}

async function statusOf(url: string, token: string): Promise<number> {
  return withCaller(url, async (caller) => (await caller.get('/api/users/me', token)).status);
}

interface ClockLoad {
  readonly load: Load;
  readonly owner: Owner;
}

/** On every service the usual traffic, with tokens that are good by its clock. */
async function startLoads(
  rig: Rig,
  { ledger }: Scene,
  services: Readonly<Record<Clock, Service>>,
): Promise<Record<Clock, ClockLoad>> {
  const start = async (clock: Clock): Promise<ClockLoad> => {
    const { url } = services[clock];
    const [owner] = await newOwners(url, 1, SHIFTS[clock] / 1000);
    const load = new Load(new Caller(url), [owner!], ledger, LIGHT_RATE).start();
    rig.defer(() => load.stop());
    return { load, owner: owner! };
  };
  return { right: await start('right'), ahead: await start('ahead'), behind: await start('behind') };
}

/** How far the time that a new transaction is given is from the real one, in milliseconds. */
async function createdAt({ url }: Service, { token, propertyId }: Owner): Promise<number> {
  const body = transactionRequest(propertyId);
  const answer = await withCaller(url, (caller) => caller.post('/api/transactions', body, token));
  const { createdAt: told } = jsonIn(answer) as { createdAt: string };
  return Math.abs(Date.parse(told) - Date.now());
}
