import { createProperty } from './factories.js';
import { Lock } from './locks.js';
import type { Account, Service } from './service.js';
import { requestText } from './wire.js';

/** The bytes of a request that is under way until the lock is released. */
export async function slowDeletion(service: Service, user: Account): Promise<{ lock: Lock; bytes: string }> {
  const { id } = await createProperty(user);
  const lock = await Lock.take(service, 'SELECT FROM properties WHERE id = $1 FOR UPDATE', [id]);
  const bytes = requestText(`DELETE /api/properties/${id} HTTP/1.1`, [
    `Authorization: Bearer ${user.token!}`,
  ]);
  return { lock, bytes };
}
