import { Failure } from './api.mjs';

const PAGE_SIZE = 100;
const ATTEMPTS = 5;

/**
 * All that a search finds, as of one moment. Pages are cut anew for each request, so that a row which is deleted
 * meanwhile moves another one from a page that is still to be read to one that has been: when anything among the
 * results has changed while they were read, they are read again.
 */
export async function searchAll(api, filter, onProgress = () => undefined) {
  const search = (order) =>
    api.read('POST', '/api/transactions/search', JSON.stringify({ ...filter, ...order }));
  const inOrderOfId = (page) => search({ sortBy: 'id', sortDirection: 'asc', size: PAGE_SIZE, page });
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const before = await lastChange(search);
    const found = [];
    for await (const { content, totalElements } of api.pages(inOrderOfId)) {
      found.push(...content);
      onProgress(found.length, totalElements);
    }
    if (before === (await lastChange(search))) return found;
  }
  throw new Failure(
    `The transactions changed each of the ${ATTEMPTS} times that they were read; try again later`,
  );
}

/** Any row that comes, goes or changes makes it another: a deletion the count, the rest the latest row or the count. */
async function lastChange(search) {
  const { totalElements, content } = await search({ sortBy: 'updatedAt', sortDirection: 'desc', size: 1 });
  return JSON.stringify([totalElements, content]);
}
