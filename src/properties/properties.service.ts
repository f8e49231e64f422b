import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { Caller } from '../access/caller.js';
import { scopeOf } from '../access/owner-scope.js';
import { Database } from '../database/database.js';
import { queryPage } from '../database/page-query.js';
import { JsonText } from '../http/json/exact-json.js';
import { pageEnvelope } from '../http/fields/page.js';
import {
  authenticationRequired,
  concurrentModification,
  notFound,
  ProblemError,
  resourceInUse,
} from '../http/problem/problem.js';
import { type Precondition, Representation, requireMatch } from '../http/server/representation.js';
import type { PropertyListQuery, PropertyRequest } from './properties.dto.js';
import {
  PROPERTY_BY_ID,
  PROPERTY_OWNER,
  PROPERTY_VERSION,
  PROPERTY_VIEW,
  propertyPage,
} from './properties.queries.js';
import { Property } from './property.entity.js';

type PropertyRow = Record<string, unknown> & { id: string; version: number };

@Injectable()
export class PropertiesService {
  constructor(
    @InjectRepository(Property) private readonly properties: Repository<Property>,
    private readonly database: Database,
  ) {}

  async list(caller: Caller, query: PropertyListQuery): Promise<JsonText> {
    const rows = await queryPage(this.database, propertyPage(scopeOf(caller), query.sort), query);
    return pageEnvelope(query, rows ?? { content: '', total: 0 });
  }

  /** Throws not-found. */
  async get(caller: Caller, id: string): Promise<Representation> {
    const ownerId = await this.ownerOf(caller, id);
    const [row] = await this.database.read<{ version: number; json: string }>(PROPERTY_BY_ID, [ownerId, id]);
    if (row === undefined) throw notFound('property');
    return new Representation(new JsonText(row.json), { version: row.version });
  }

  /** Throws authentication-required when the caller's account is deleted in this moment. */
  async create(caller: Caller, request: PropertyRequest): Promise<Representation> {
    const insertion = this.properties
      .createQueryBuilder()
      .insert()
      .values({ ownerId: caller.id, ...columnsOf(request) })
      .updateEntity(false)
      .returning(`${PROPERTY_VIEW.columns()}, version`);
    const foreignKey = (): ProblemError => authenticationRequired(true);
    const result = await this.database.attempt(() => insertion.execute(), { foreignKey });
    const [row] = result.raw as [PropertyRow];
    return represent(row, { location: `/api/properties/${row.id}` });
  }

  /** Replaces every field a client may set. Throws not-found, or concurrent-modification when another write came between. */
  async update(
    caller: Caller,
    id: string,
    request: PropertyRequest,
    precondition: Precondition,
  ): Promise<Representation> {
    const ownerId = await this.ownerOf(caller, id);
    const version = await this.versionOf(ownerId, id);
    requireMatch(precondition, version);
    const update = this.properties
      .createQueryBuilder()
      .update()
      .set(columnsOf(request))
      .where({ ownerId, id, version }) // repository.save() would take a stale version and write it back
      .returning(`${PROPERTY_VIEW.columns()}, version`);
    const result = await this.database.attempt(() => update.execute());
    const [row] = result.raw as PropertyRow[];
    if (row === undefined) throw await this.missedWrite(ownerId, id);
    return represent(row);
  }

  /** Throws not-found, or resource-in-use while transactions refer to the property. */
  async delete(caller: Caller, id: string, precondition: Precondition): Promise<void> {
    const ownerId = await this.ownerOf(caller, id);
    const key: { ownerId: string; id: string; version?: number } = { ownerId, id };
    if (precondition !== undefined) {
      key.version = await this.versionOf(ownerId, id);
      requireMatch(precondition, key.version);
    }
    const foreignKey = (): ProblemError =>
      resourceInUse('Transactions refer to this property: delete or move them first.');
    const { affected } = await this.database.attempt(() => this.properties.delete(key), { foreignKey });
    if (affected === 0) throw await this.missedWrite(ownerId, id);
  }

  /**
   * Whose property this is, as far as the caller may know: a USER's statements carry the caller's own key, and
   * find nothing of others; an ADMIN acts as the owner. Throws not-found.
   */
  async ownerOf(caller: Caller, id: string): Promise<string> {
    const scope = scopeOf(caller);
    if (scope !== 'every-owner') return scope.ownerId;
    const [row] = await this.database.read<{ owner_id: string }>(PROPERTY_OWNER, [id]);
    if (row === undefined) throw notFound('property');
    return row.owner_id;
  }

  async exists(ownerId: string, id: string): Promise<boolean> {
    return (await this.database.read(PROPERTY_VERSION, [ownerId, id])).length > 0;
  }

  private async versionOf(ownerId: string, id: string): Promise<number> {
    const [row] = await this.database.read<{ version: number }>(PROPERTY_VERSION, [ownerId, id]);
    if (row === undefined) throw notFound('property');
    return row.version;
  }

  /** Why a write by version hit no row: it is gone (thrown), or somebody changed it. */
  private async missedWrite(ownerId: string, id: string): Promise<ProblemError> {
    await this.versionOf(ownerId, id);
    return concurrentModification();
  }
}

/** Everything a client may set, field by field: a body is never spread into a row. */
function columnsOf(
  request: PropertyRequest,
): Omit<Property, 'ownerId' | 'id' | 'createdAt' | 'updatedAt' | 'version'> {
  return {
    name: request.name,
    address: request.address,
    description: request.description,
    basePrice: request.basePrice,
    maxGuests: request.maxGuests,
    bedrooms: request.bedrooms,
    bathrooms: request.bathrooms,
    active: request.active,
    strPermitNumber: request.strPermitNumber,
    houseRules: request.houseRules,
    checkInInstructions: request.checkInInstructions,
  };
}

function represent(row: PropertyRow, about: { location?: string } = {}): Representation {
  return new Representation(new JsonText(PROPERTY_VIEW.render(row)), { version: row.version, ...about });
}
