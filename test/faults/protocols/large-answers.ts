import { ownPages, readPages, TITLE } from '../support/page-readers.js';
import { crowd } from './crowd.js';

export const LARGE_ANSWERS = crowd({
  name: 'large-answers',
  title: TITLE,
  async press({ cluster, service, owners }, short) {
    for (const owner of owners) await ownPages(cluster, owner);
    return readPages(service.url, owners, short ? 5000 : 60_000);
  },
});
