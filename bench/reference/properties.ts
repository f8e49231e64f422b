import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import type { Authenticate } from './accounts.js';
import { select, toJson } from './columns.js';
import { found, idOf } from './errors.js';

const PROPERTY = [
  ...['id', 'ownerId', 'name', 'address', 'description', 'basePrice', 'maxGuests', 'bedrooms', 'bathrooms'],
  ...['active', 'strPermitNumber', 'houseRules', 'checkInInstructions'],
];
const SELECT = select(PROPERTY, 'properties');
const toProperty = toJson(PROPERTY);

export function addProperties(app: FastifyInstance, pool: pg.Pool, authenticate: Authenticate): void {
  app.get('/api/properties/:id', async (request) => {
    const { id: owner } = await authenticate(request);
    const query = { name: 'property', text: `${SELECT} WHERE owner_id = $1 AND id = $2` };
    const { rows } = await pool.query<Record<string, unknown>>({ ...query, values: [owner, idOf(request)] });
    return toProperty(found(rows));
  });
}
