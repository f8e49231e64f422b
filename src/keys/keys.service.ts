import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { digestOf } from '../common/access/access.guard.js';
import type { Caller, UserAccount } from '../common/access/caller.js';
import { JsonText } from '../common/json/exact-json.js';
import { ProblemError } from '../common/problems/problem.js';
import { isId } from '../common/validation/decorators.js';
import { batchLoader } from '../database/batch-loader.js';
import type { KeyRequest } from './dto/key.request.js';
import { KeysRepository } from './keys.repository.js';

const KEY = /^pfk_(\d+)_[\w-]{43}$/;
/** Keys that wait for their look-up: a forged one costs a statement, and nobody knows whose it is. */
const LONGEST_LINE = 256;
const MOST_KNOWN = 5000; // about a hundred bytes each
const NO_DIGEST = Buffer.alloc(32);

/** The API keys of accounts, with which programs call in place of a person's password. */
@Injectable()
export class KeysService {
  private readonly lookUps = batchLoader((ids) => this.keys.find(ids));
  private waiting = 0;
  /** Digests of keys that were right when they came last: no crowd of forged ones keeps these from their look-up. */
  private readonly known = new Set<string>();
  /** Being noted as used: many requests come with one key. */
  private readonly noting = new Set<string>();

  constructor(private readonly keys: KeysRepository) {}

  /** Whether a bearer credential is of this kind, valid or not. */
  static isKey(credential: string): boolean {
    return credential.startsWith('pfk_');
  }

  /** The account of a key as it is now. A wrong key takes the same steps to undefined. Throws service-unavailable. */
  async findCaller(text: string): Promise<UserAccount | undefined> {
    const [, id] = KEY.exec(text) ?? [];
    if (id === undefined || !isId(id)) return undefined;
    const digest = digestOf(text);
    if (this.waiting >= LONGEST_LINE && !this.known.has(digest.toString('latin1')))
      throw new ProblemError('service-unavailable', 'Too many API keys are being looked up.');
    this.waiting++;
    const row = await this.lookUps.load(id).finally(() => this.waiting--);
    const isRight = timingSafeEqual(digest, row?.digest ?? NO_DIGEST);
    if (row === undefined || !isRight) return undefined;
    if (this.known.size >= MOST_KNOWN) this.known.clear();
    this.known.add(digest.toString('latin1'));
    if (!row.isUsedToday) this.noteUse(id);
    return { ...row, id: row.userId, keyAccess: row.access };
  }

  /** CreatedKeyResponse. Throws resource-in-use past 20 keys. */
  async create(caller: Caller, { name, access, expiresAt }: KeyRequest): Promise<JsonText> {
    for (;;) {
      const drawn = await this.keys.draw(caller);
      const key = `pfk_${drawn.id}_${randomBytes(32).toString('base64url')}`;
      const row = { ...drawn, userId: caller.id, name, access, digest: digestOf(key), expiresAt };
      const json = await this.keys.insert(caller, row);
      if (json !== undefined) return new JsonText(`{"key":"${key}",${json.slice(1)}`);
    }
  }

  /** Best effort, behind the request: the day is noted by a later one where it fails. */
  private noteUse(id: string): void {
    if (this.noting.has(id)) return;
    this.noting.add(id);
    const noted = this.keys.markUsed(id).catch(() => undefined);
    void noted.finally(() => this.noting.delete(id));
  }
}
