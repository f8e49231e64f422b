import type { Protocol } from '../protocol.js';
import { livenessStaysUp, memoryIsBounded, serviceIsWell } from '../support/criteria.js';
import { ownPages } from '../support/long-pages.js';
import { MEMORY } from '../support/memory-limit.js';
import { EXPORT, type LargeAnswer, PAGE, readPages, titleOf } from '../support/page-readers.js';
import { settle } from '../support/rig.js';

const LIVENESS = 250;

export const LARGE_ANSWERS: readonly Protocol[] = [
  protocolOf('large-answers', PAGE),
  protocolOf('large-exports', EXPORT),
];

function protocolOf(name: string, answer: LargeAnswer): Protocol {
  return {
    name,
    title: titleOf(answer),
    async run(rig, { short }) {
      const memory = rig.memoryLimit(MEMORY);
      const scene = await rig.scene({ memory });
      const { cluster, service, probes } = scene;
      const owners = [...scene.owners, ...(await rig.owners(service.url))]; // as many as can export at once, and more
      for (const owner of owners) await ownPages(cluster, owner);
      probes.start();
      const answers = await readPages(service.url, owners, short ? 10_000 : 60_000, answer);
      const ledger = await settle(scene);
      return [
        ...ledger,
        ...answers,
        memoryIsBounded(service, memory),
        ...livenessStaysUp(probes, LIVENESS),
        ...serviceIsWell(service),
      ];
    },
  };
}
