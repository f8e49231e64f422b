import type { Criterion } from '../faults/protocol.js';
import type { Cluster } from '../faults/support/cluster.js';
import { countConnections } from '../faults/support/connection-count.js';
import { serviceIsWell } from '../faults/support/criteria.js';
import { Ledger } from '../faults/support/ledger.js';
import type { Rig } from '../faults/support/rig.js';
import type { Service } from '../faults/support/service.js';
import { Random } from '../support/random.js';
import { Answers } from './answers.js';
import { hangUp } from './broken-http.js';
import { makeClients } from './clients.js';
import type { Course } from './course.js';
import { HoldingsReader } from './holdings.js';
import { Ended, Pace } from './pace.js';
import { type Sample, Sampler } from './sample.js';
import { type Client, freshToken, type Context } from './context.js';
import { answerCriteria, levelCriteria } from './verdict.js';

/** In milliseconds. What a slow client makes the service wait for is to end, and to begin again, often. */
const REQUEST_TIMEOUT = 2000;
const SEED = 1;

/** What was found, and what it was found by. */
export interface Found {
  readonly samples: readonly Sample[];
  readonly answers: Answers;
  readonly criteria: readonly Criterion[];
}

/** A service under load, with a PostgreSQL of its own. */
export class Soak {
  private constructor(
    private readonly cluster: Cluster,
    private readonly service: Service,
    private readonly context: Context,
    private readonly clients: readonly Client[],
    private readonly sampler: Sampler,
  ) {}

  static async start(rig: Rig, { rate }: Course): Promise<Soak> {
    const cluster = await rig.cluster();
    const holdings = new HoldingsReader(rig.folder);
    const env = { REQUEST_TIMEOUT: `${REQUEST_TIMEOUT}ms` };
    const launched = rig.launch({ databaseUrl: cluster.url, env, nodeArgs: holdings.nodeArgs });
    const service = await launched.ready();
    const context: Context = {
      url: service.url,
      pace: new Pace(rate),
      answers: new Answers(),
      ledger: new Ledger(),
      random: new Random(SEED),
    };
    const { adminId, clients } = await makeClients(rig, cluster, context);
    const sampler = new Sampler(service, cluster, holdings, () => freshToken(adminId, context.random));
    return new Soak(cluster, service, context, clients, sampler);
  }

  /** `tell` is given each sample when it is taken. */
  async run(course: Course, tell: (sample: Sample, answers: Answers) => void): Promise<Found> {
    const { cluster, service, context, clients } = this;
    const stopCounting = await countConnections(cluster);
    const running = Promise.all(clients.map((client) => untilEnded(client)));
    const samples: Sample[] = [];
    const begin = performance.now();
    let mostConnections: number;
    try {
      for (let number = 0; number < course.samples; number++) {
        const turns = number === 0 ? course.warmUp : course.interval;
        await Promise.race([this.load(turns), running]); // nobody ends so early but by failing
        const sample = await this.sampler.take((performance.now() - begin) / 1000);
        samples.push(sample);
        tell(sample, context.answers);
      }
    } finally {
      context.pace.end();
      mostConnections = await stopCounting();
    }
    await running;
    const criteria = [
      ...levelCriteria(samples, course.growth, mostConnections),
      ...answerCriteria(context.answers),
      ...(await context.ledger.check(cluster.sql)),
      ...serviceIsWell(service),
    ];
    return { samples, answers: context.answers, criteria };
  }

  /** So many turns, after which everybody hangs up. */
  private async load(turns: number): Promise<void> {
    const { context, clients } = this;
    await context.pace.give(turns);
    hangUp();
    await context.pace.rest();
    for (const client of clients) client.disconnect();
  }
}

async function untilEnded(client: Client): Promise<void> {
  try {
    await client.run();
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
  }
}
