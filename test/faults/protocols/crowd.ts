import type { Criterion, Protocol } from '../protocol.js';
import { livenessStaysUp, memoryIsBounded, serviceIsWell } from '../support/criteria.js';
import { type Scene, settle } from '../support/rig.js';

const LIVENESS = 250;

/** Clients that ask for much at once, beside probes. */
interface Crowd extends Pick<Protocol, 'name' | 'title' | 'nightly'> {
  /** In MB. */
  readonly resident?: number;
  readonly press: (scene: Scene, short: boolean) => Promise<Criterion[]>;
}

export function crowd({ resident, press, ...protocol }: Crowd): Protocol {
  return {
    ...protocol,
    async run(rig, short) {
      const scene = await rig.scene({ isLimited: true });
      const { service, probes } = scene;
      const criteria = await press(scene, short);
      return [
        ...(await settle(scene)),
        ...criteria,
        memoryIsBounded(service, resident),
        ...livenessStaysUp(probes, LIVENESS),
        ...serviceIsWell(service),
      ];
    },
  };
}
