import { setTimeout as sleep } from 'node:timers/promises';
import type { Criterion } from '../faults/protocol.js';
import type { Cluster } from '../faults/support/cluster.js';
import { criterion, serviceIsWell } from '../faults/support/criteria.js';
import { count } from '../faults/support/figures.js';
import type { Rig } from '../faults/support/rig.js';
import type { Service } from '../faults/support/service.js';
import { type FuzzRequest, RequestMaker } from '../fuzz/requests.js';
import { Lane, makeFacts, Tally } from '../fuzz/scene.js';
import { Client } from '../support/client.js';
import { claimsOf, forge } from '../support/forged-token.js';
import { Random } from '../support/random.js';
import { signUp, signUpRequest, userIn } from '../support/sign-up.js';
import { Wire } from '../support/wire.js';
import { COLLECTING, levelCriteria, type Sample, takeSample } from './sample.js';

const LANES = 8;
const SEED = 1;
const PROPERTIES = 30;
/** One request in so many is left by its client before its end. */
const LEFT = 20;

export interface Course {
  /** Requests per second. */
  readonly rate: number;
  /** Requests of a round, after which a sample is taken. */
  readonly round: number;
  /** Rounds before the first sample: until all code has been compiled, and every route and status was seen. */
  readonly warmUp: number;
  readonly samples: number;
  /** The most times their early level that the heap and the metric series may reach. */
  readonly growth: number;
}

/** A service under load, with a PostgreSQL of its own. */
export class Soak {
  private readonly tally = new Tally();
  private readonly left = new Set<Wire>();

  private constructor(
    private readonly cluster: Cluster,
    private readonly service: Service,
    private readonly ids: readonly string[],
  ) {}

  static async start(rig: Rig): Promise<Soak> {
    const cluster = await rig.cluster();
    // The service often gives up waiting for a slow client
    const env = { REQUEST_TIMEOUT: '2s' };
    const service = await rig.launch({ databaseUrl: cluster.url, env, nodeArgs: COLLECTING }).ready();
    const anonymous = new Client(service.url);
    const accounts = [1, 2, 3].map(async () => String(userIn(await signUp(anonymous, signUpRequest())).id));
    const ids = await Promise.all(accounts);
    await cluster.sql(`UPDATE users SET role = 'ADMIN' WHERE id = $1`, [ids[1]]);
    return new Soak(cluster, service, ids);
  }

  /** `show` is given each sample, and the number of requests so far. */
  async run(course: Course, show: (sample: Sample, requests: number) => void): Promise<Criterion[]> {
    const samples: Sample[] = [];
    for (let round = 0; round < course.warmUp + course.samples; round++) {
      await this.round(course, round > 0);
      if (round < course.warmUp) continue;
      const sample = await takeSample(this.service, this.cluster, this.client(1));
      samples.push(sample);
      show(sample, this.tally.responses);
    }
    return [...levelCriteria(samples, course.growth), ...this.loadCriteria(), ...serviceIsWell(this.service)];
  }

  /** A load that is mostly refused, or never, would say little. */
  private loadCriteria(): Criterion[] {
    const { statuses, faults, responses } = this.tally;
    const shown = [...statuses].sort(([a], [b]) => a - b);
    const good = shown.filter(([status]) => status < 400).reduce((sum, [, times]) => sum + times, 0);
    const share = (100 * good) / responses;
    const measured = shown.map(([status, times]) => `${status}: ${count(times)}`).join(', ');
    return [
      criterion('every response is right', faults.length === 0, faults.slice(0, 5).join('\n') || 'all'),
      criterion('5 to 60 % of the load succeeds', share >= 5 && share <= 60, measured),
    ];
  }

  /**
   * The same requests each time, about rows and with tokens that the service has not seen. None is left in the first
   * round: each makes the series of its response before the first sample.
   */
  private async round({ rate, round }: Course, isLeft: boolean): Promise<void> {
    const facts = await makeFacts(this.client(0), this.client(1), this.client(2), PROPERTIES);
    const send = async (lane: number): Promise<void> => {
      const connection = new Lane(this.service.url);
      const maker = new RequestMaker(new Random(SEED + lane), facts);
      for (let index = 0; index < round / LANES; index++) {
        const pause = sleep((1000 * LANES) / rate);
        const request = maker.next();
        if (isLeft && index % LEFT === lane) await this.leave(request, index);
        else this.tally.add(request, await connection.send(request), facts);
        await pause;
      }
      connection.close();
    };
    await Promise.all(Array.from({ length: LANES }, (_, lane) => send(lane)));
    for (const wire of this.left) wire.destroy();
    this.left.clear();
  }

  /** Sends all or half of a request, and then resets or closes the connection, or says nothing more on it. */
  private async leave({ bytes }: FuzzRequest, index: number): Promise<void> {
    const wire = await Wire.open(this.service.url);
    await wire.sent(index % 2 === 0 ? bytes : bytes.subarray(0, bytes.length / 2));
    const turn = Math.floor(index / LEFT) % 3;
    if (turn === 0) wire.reset();
    else if (turn === 1) wire.destroy();
    else this.left.add(wire);
  }

  /** With a token that differs from every other. */
  private client(index: number): Client {
    const claims = claimsOf({ id: this.ids[index]! }, { jti: String(performance.now()) });
    return new Client(this.service.url, forge({ payload: claims }));
  }
}
