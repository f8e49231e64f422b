import type pg from 'pg';
import type { Accounts } from './accounts.js';
import { HttpError, type Request, type Route } from './http.js';
import { idOf } from './lists.js';

interface PropertyRow {
  id: string;
  owner_id: string;
  name: string;
  address: string;
  description: string | null;
  base_price: string;
  max_guests: number;
  bedrooms: number;
  bathrooms: number;
  active: boolean;
  str_permit_number: string | null;
  house_rules: string | null;
  check_in_instructions: string | null;
}

const SELECT = `SELECT id, owner_id, name, address, description, base_price, max_guests, bedrooms, bathrooms, active,
  str_permit_number, house_rules, check_in_instructions FROM properties`;

export class Properties {
  readonly routes: readonly Route[] = [
    { method: 'GET', path: /^\/api\/properties\/([^/]+)$/, handle: (request) => this.get(request) },
  ];

  constructor(
    private readonly pool: pg.Pool,
    private readonly accounts: Accounts,
  ) {}

  private async get(request: Request): Promise<unknown> {
    const caller = await this.accounts.authenticate(request);
    const id = idOf(request.param);
    const { rows } = await this.pool.query<PropertyRow>(
      caller.admin
        ? { name: 'any_property', text: `${SELECT} WHERE id = $1`, values: [id] }
        : { name: 'property', text: `${SELECT} WHERE owner_id = $1 AND id = $2`, values: [caller.id, id] },
    );
    const [row] = rows;
    if (row === undefined) throw new HttpError(404, 'There is no such property.');
    return toProperty(row);
  }
}

function toProperty(row: PropertyRow): unknown {
  return {
    id: Number(row.id),
    ownerId: Number(row.owner_id),
    name: row.name,
    address: row.address,
    description: row.description,
    basePrice: Number(row.base_price),
    maxGuests: row.max_guests,
    bedrooms: row.bedrooms,
    bathrooms: row.bathrooms,
    active: row.active,
    strPermitNumber: row.str_permit_number,
    houseRules: row.house_rules,
    checkInInstructions: row.check_in_instructions,
  };
}
