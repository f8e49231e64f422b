import type { Owner } from './accounts.js';
import type { Cluster } from './cluster.js';

export const PAGE_PATH = '/api/properties?size=100';

/** Of two texts of a property, each as long as it may be. */
const LENGTH = 10_000;
/** The bytes of the page: JSON writes a control character with six. */
export const PAGE_SIZE = 100 * 2 * LENGTH * 6;

const COPIES = `INSERT INTO properties (owner_id, name, address, base_price, max_guests, bedrooms, bathrooms, active)
  SELECT owner_id, name, address, base_price, max_guests, bedrooms, bathrooms, active
    FROM properties, generate_series(1, 99) WHERE owner_id = $1`;

/** Gives an owner of one property a hundred with the worst texts. */
export async function ownPages({ sql }: Cluster, { id }: Owner): Promise<void> {
  await sql(COPIES, [id]);
  await sql(
    `UPDATE properties SET house_rules = repeat(chr(1), $2), check_in_instructions = repeat(chr(2), $2) WHERE owner_id = $1`,
    [id, LENGTH],
  );
}

/** As bytes on a connection. */
export function pageRequest(owner: Owner): string {
  return requestFor(PAGE_PATH, owner, 'application/json');
}

export function requestFor(path: string, { token }: Owner, accept: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
}
