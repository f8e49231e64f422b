import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Fault, fieldReader } from './fields.js';

/** The values of a row's sort keys as PostgreSQL writes them; null where it has none. */
export type Position = readonly (string | null)[];

/** How far a walk through a list has come. */
export interface Mark {
  /** The pages that have been read. */
  readonly page: number;
  /** How many elements there are on all pages, as it was last told. */
  readonly total: number;
  /** Of the last element that was read. */
  readonly position: Position;
}

/** Two texts of 255 control characters, which are six octets each in JSON, and ten short keys, stay below. */
const MAX_CURSOR_LENGTH = 5120;
const BASE64URL = /^[\w-]*$/;
/** As HMAC-SHA-256 may be cut off (RFC 2104, section 5). */
const MAC_OCTETS = 16;

/** A cursor as it was given, once and whole. */
export const cursor = fieldReader(
  { type: 'string', maxLength: MAX_CURSOR_LENGTH, pattern: BASE64URL.source },
  (wire): string | Fault => {
    if (Array.isArray(wire)) return Fault.of('must be given once');
    const isCursor = typeof wire === 'string' && wire.length <= MAX_CURSOR_LENGTH && BASE64URL.test(wire);
    return isCursor ? wire : Fault.of(FOREIGN_CURSOR);
  },
);

export const FOREIGN_CURSOR = 'must be a cursor of this list, in this order and of this search';

/**
 * Writes marks as cursors, and reads those that it has written. A cursor is signed together with the list that it is of,
 * so that it opens no other, and with a key of its own purpose, derived from the secret of the tokens.
 */
@Injectable()
export class Cursors {
  private readonly key: KeyObject;
  private readonly previousKey: KeyObject | undefined;

  constructor(@Inject(SETTINGS) { jwt }: Pick<Settings, 'jwt'>) {
    this.key = keyFrom(jwt.secret);
    if (jwt.previousSecret !== undefined) this.previousKey = keyFrom(jwt.previousSecret);
  }

  /** `list` is a text that no other list has, and without U+0000. */
  write(list: string, { page, total, position }: Mark): string {
    const mark = Buffer.from(JSON.stringify([page, total, ...position]));
    return Buffer.concat([macOf(this.key, list, mark), mark]).toString('base64url');
  }

  /** Undefined unless it is of this list, and was written here. */
  read(list: string, cursor: string): Mark | undefined {
    const bytes = Buffer.from(cursor, 'base64url');
    const isCanonical = bytes.length > MAC_OCTETS && bytes.toString('base64url') === cursor;
    const [mac, mark] = [bytes.subarray(0, MAC_OCTETS), bytes.subarray(MAC_OCTETS)];
    const keys = [this.key, this.previousKey].filter((key) => key !== undefined);
    if (!isCanonical || !keys.some((key) => timingSafeEqual(macOf(key, list, mark), mac))) return undefined;
    const [page, total, ...position] = JSON.parse(mark.toString()) as [number, number, ...Position];
    return { page, total, position };
  }
}

function keyFrom(secret: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'property-finance cursor', 32)));
}

function macOf(key: KeyObject, list: string, mark: Buffer): Buffer {
  return createHmac('sha256', key).update(`${list}\0`).update(mark).digest().subarray(0, MAC_OCTETS);
}
