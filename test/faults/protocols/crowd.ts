import type { Criterion, Protocol } from '../protocol.js';
import { livenessStaysUp, memoryIsBounded, residentIsAtMost, serviceIsWell } from '../support/criteria.js';
import { MEMORY } from '../support/memory-limit.js';
import { type Scene, settle } from '../support/rig.js';

const LIVENESS = 250;

/** Clients that ask for much at once, beside probes. */
interface Crowd extends Pick<Protocol, 'name' | 'title' | 'nightly'> {
  /** In MB; by default the service runs in a control group. */
  readonly resident?: number;
  readonly press: (scene: Scene, short: boolean) => Promise<Criterion[]>;
}

export function crowd({ resident, press, ...protocol }: Crowd): Protocol {
  return {
    ...protocol,
    async run(rig, { short }) {
      const memory = resident === undefined ? rig.memoryLimit(MEMORY) : undefined;
      const scene = await rig.scene({ memory });
      const { service, probes } = scene;
      probes.start();
      const criteria = await press(scene, short);
      return [
        ...(await settle(scene)),
        ...criteria,
        resident === undefined ? memoryIsBounded(service, memory) : residentIsAtMost(resident, service.pid),
        ...livenessStaysUp(probes, LIVENESS),
        ...serviceIsWell(service),
      ];
    },
  };
}
