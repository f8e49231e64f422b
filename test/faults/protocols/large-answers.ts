import type { Protocol } from '../protocol.js';
import { ownPages } from '../support/long-pages.js';
import { EXPORT, type LargeAnswer, PAGE, readPages, titleOf } from '../support/page-readers.js';
import { crowd } from './crowd.js';

const protocolOf = (name: string, answer: LargeAnswer, rest: Pick<Protocol, 'nightly'> = {}): Protocol =>
  crowd({
    name,
    title: titleOf(answer),
    ...rest,
    async press({ cluster, service, owners: first }, short, rig) {
      const owners = [...first, ...(await rig.owners(service.url))]; // more than can export at once
      for (const owner of owners) await ownPages(cluster, owner);
      return readPages(service.url, owners, short ? 5000 : 60_000, answer);
    },
  });

export const LARGE_ANSWERS: readonly Protocol[] = [
  protocolOf('large-answers', PAGE),
  protocolOf('large-exports', EXPORT, { nightly: true }),
];
