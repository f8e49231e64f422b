import { peakMemoryOf } from '../../../bench/processes.js';
import type { Criterion, Protocol } from '../protocol.js';
import { criterion, livenessStaysUp, serviceIsWell } from '../support/criteria.js';
import { ownPages, WORST_TEXTS } from '../support/long-pages.js';
import { EXPORT, type LargeAnswer, PAGE, readPages, titleOf } from '../support/page-readers.js';
import { settle } from '../support/rig.js';

const LIMIT = 512;
const RESIDENT = 400;
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
      const memory = rig.memoryLimit(LIMIT);
      const scene = await rig.scene({ memory });
      const { cluster, service, owners, probes } = scene;
      const [owner] = owners;
      if (owner === undefined) throw new Error('there is no owner');
      await ownPages(cluster, service.url, owner, WORST_TEXTS);
      probes.start();
      const answers = await readPages(service.url, owner, short ? 10_000 : 60_000, answer);
      const ledger = await settle(scene);
      return [
        ...ledger,
        ...answers,
        ...memoryIsBounded(peakMemoryOf(service.pid) ?? NaN, memory?.peak),
        ...livenessStaysUp(probes, LIVENESS),
        ...serviceIsWell(service),
      ];
    },
  };
}

function memoryIsBounded(resident: number, counted: number | undefined): Criterion[] {
  const group =
    counted === undefined ? 'no control group could be had' : `${Math.round(counted)} MB counted in it`;
  return [
    criterion(
      `resident memory ≤ ${RESIDENT} MB, in a limit of ${LIMIT} MB`,
      resident <= RESIDENT,
      `${Math.round(resident)} MB; ${group}`,
    ),
  ];
}
