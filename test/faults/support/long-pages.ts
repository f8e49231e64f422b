import type net from 'node:net';
import type { Owner } from './accounts.js';
import type { Cluster } from './cluster.js';
import { dial } from './slow-sockets.js';

export const PAGE_PATH = '/api/properties?size=100';
/** Of two texts of a property, each as long as it may be. */
const LENGTH = 10_000;
/** In bytes: JSON writes a control character with six. */
export const PAGE_SIZE = 100 * 2 * LENGTH * 6;

/** Gives an owner of one property a hundred with the worst texts. */
export async function ownPages({ sql }: Cluster, { id }: Owner): Promise<void> {
  const columns = 'owner_id, name, address, base_price, max_guests, bedrooms, bathrooms, active';
  await sql(
    `INSERT INTO properties (${columns}) SELECT ${columns} FROM properties, generate_series(1, 99) WHERE owner_id = $1`,
    [id],
  );
  await sql(
    `UPDATE properties SET house_rules = repeat(chr(1), $2), check_in_instructions = repeat(chr(2), $2) WHERE owner_id = $1`,
    [id, LENGTH],
  );
}

/** A connection with a request for a page, and its response unread. */
export function unreadPage(url: string, { token }: Owner): net.Socket {
  const socket = dial(url).pause();
  const headers = `Host: localhost\r\nAuthorization: Bearer ${token}`;
  socket.write(`GET ${PAGE_PATH} HTTP/1.1\r\n${headers}\r\n\r\n`);
  return socket;
}
