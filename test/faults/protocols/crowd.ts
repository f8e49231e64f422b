import type { Criterion, Protocol } from '../protocol.js';
import {
  allSucceedFrom,
  livenessStaysUp,
  memoryIsBounded,
  residentIsAtMost,
  serviceIsWell,
} from '../support/criteria.js';
import { MEMORY } from '../support/memory-limit.js';
import { type Scene, type SceneOptions, settle } from '../support/rig.js';

const LIVENESS = 250;

/** Clients that ask for much at once, beside probes and, if the scene has a rate, other clients. */
interface Crowd extends Pick<Protocol, 'name' | 'title' | 'nightly'> {
  readonly scene?: (short: boolean) => SceneOptions;
  /** In MB; by default the service runs in a control group. */
  readonly resident?: number;
  readonly press: (scene: Scene, short: boolean) => Promise<Criterion[]>;
}

export function crowd({ scene: options, resident, press, ...protocol }: Crowd): Protocol {
  return {
    ...protocol,
    async run(rig, { short }) {
      const memory = resident === undefined ? rig.memoryLimit(MEMORY) : undefined;
      const { rate, ...rest } = options?.(short) ?? {};
      const scene = await rig.scene({ ...rest, rate, memory });
      const { service, load, probes } = scene;
      probes.start();
      if (rate !== undefined) load.start();
      const criteria = await press(scene, short);
      return [
        ...(await settle(scene)),
        ...criteria,
        ...(rate === undefined ? [] : [allSucceedFrom('every other request succeeds', load.replies, 0)]),
        resident === undefined ? memoryIsBounded(service, memory) : residentIsAtMost(resident, service.pid),
        ...livenessStaysUp(probes, LIVENESS),
        ...serviceIsWell(service),
      ];
    },
  };
}
