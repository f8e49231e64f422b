import { setTimeout as sleep } from 'node:timers/promises';
import type { Criterion } from '../../faults/protocol.js';
import { criterion } from '../../faults/support/criteria.js';
import { time } from '../../faults/support/figures.js';
import { type Caller, withCaller } from '../../faults/support/http.js';
import type { DatabaseProxy } from '../../support/database-proxy.js';
import type { Databases } from './databases.js';
import type { Instance } from './instance.js';
import { type Stage } from './stage.js';
import type { Webhook } from './webhook.js';

/** Seconds. */
const TOLD_WITHIN = 240;
const AWAY_FOR = 60;
const SIGN_INS = 150;

type Repair = () => Promise<void> | void;

/** What goes wrong, the alerts that tell of it, and how it is made. */
export interface Fault {
  readonly what: string;
  readonly alerts: readonly string[];
  /** Whose, as far as they are of one instance. */
  readonly instance: string;
  readonly happen: () => Promise<Repair> | Repair;
}

/** Whether each alert is told when its fault is made, and told to be over after the repair. */
export async function judge(
  { what, alerts, instance, happen }: Fault,
  webhook: Webhook,
): Promise<Criterion[]> {
  const told = async (firing: boolean): Promise<number[]> =>
    Promise.all(alerts.map((alert) => webhook.told(firing, alert, instance, TOLD_WITHIN)));
  await told(false); // of a fault before
  const repair = await happen();
  const fired = await told(true);
  await repair();
  const cleared = await told(false);
  return alerts.map((alert, index) => {
    const [on = NaN, off = NaN] = [fired[index], cleared[index]];
    const times = `told after ${time(on * 1000)}, over after another ${time(off * 1000)}`;
    return criterion(`${alert}: ${what}`, Number.isFinite(on + off), times);
  });
}

/** Of the database, while there is a load. */
export function databaseFaults(
  databases: Databases,
  way: DatabaseProxy,
  { name: instance }: Instance,
): Fault[] {
  return [
    {
      what: 'the database away for a minute',
      alerts: ['PropertyFinanceNotReady'],
      instance,
      async happen() {
        await way.close();
        const over = sleep(AWAY_FOR * 1000);
        return async () => {
          await over;
          await way.reopen();
        };
      },
    },
    {
      what: 'a table locked',
      alerts: ['ErrorRate', 'Slow', 'PoolExhausted', 'PoolSlow'].map((name) => `PropertyFinance${name}`),
      instance,
      happen: () => databases.hold('LOCK TABLE transactions'),
    },
  ];
}

export function instanceFaults(instance: Instance): Fault[] {
  const { name } = instance;
  return [
    {
      what: 'a heap that fills, an event loop held up',
      alerts: ['PropertyFinanceHeapFloor', 'PropertyFinanceEventLoopLag'],
      instance: name,
      happen() {
        instance.signal('SIGUSR2');
        return () => instance.signal('SIGUSR2');
      },
    },
    {
      what: 'a process that stands still',
      alerts: ['PropertyFinanceDown'],
      instance: name,
      happen() {
        instance.signal('SIGSTOP');
        return () => instance.signal('SIGCONT');
      },
    },
    {
      what: `${SIGN_INS} guess passwords`,
      alerts: ['PropertyFinanceHashQueueFull', 'PropertyFinanceSignInFailures'],
      instance: name,
      happen: () => guessPasswords(instance),
    },
  ];
}

export function surroundingFaults(stage: Stage, databases: Databases): Fault[] {
  const { replica, front } = stage;
  return [
    {
      what: 'a certificate for three days',
      alerts: ['PropertyFinanceCertificateExpires'],
      instance: front.url,
      happen() {
        front.certify(3);
        return () => front.certify(90);
      },
    },
    {
      what: 'a replica that replays nothing',
      alerts: ['PostgresReplicaBehind'],
      instance: replica.name,
      async happen() {
        await databases.onReplica('SELECT pg_wal_replay_pause()');
        return () => databases.onReplica('SELECT pg_wal_replay_resume()');
      },
    },
    {
      what: 'an exporter killed',
      alerts: ['MonitoringDown'],
      instance: replica.name,
      async happen() {
        await replica.program.stop();
        return async () => {
          replica.program = await stage.startExporter('standby', Number(replica.name.split(':')[1]));
        };
      },
    },
  ];
}

/** Many sign-ins at once, each of which is tried again when it was answered. */
function guessPasswords({ url }: Instance): Repair {
  let goesOn = true;
  const body = { username: 'nobody', password: 'a wrong one' };
  const guess = async (caller: Caller): Promise<void> => {
    while (goesOn) if ((await caller.post('/api/auth/signin', body)).status !== 401) await sleep(500);
  };
  const all = Promise.all(Array.from({ length: SIGN_INS }, () => withCaller(url, guess)));
  return async () => {
    goesOn = false;
    await all;
  };
}
