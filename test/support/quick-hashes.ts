import bcrypt from 'bcrypt';
import { opened } from './opened.js';

/**
 * For each test file: hashes of passwords take a sixtieth of the work. They name the cost that the service gave,
 * which the database checks.
 */
const LOWEST_COST = '04';
const NAMED_COST = /(?<=^\$2[aby]\$)\d\d/;

const { hash, compare } = bcrypt;

const quick = {
  hash: async (password: string, cost: string | number): Promise<string> =>
    typeof cost === 'string' // a salt
      ? hash(password, cost)
      : (await hash(password, Number(LOWEST_COST))).replace(NAMED_COST, String(cost).padStart(2, '0')),
  compare: (password: string, stored: string): Promise<boolean> =>
    compare(password, stored.replace(NAMED_COST, LOWEST_COST)),
};

/** For the rest of a test about the cost of a hash. */
export function hashAtFullCost(): void {
  Object.assign(bcrypt, { hash, compare });
  opened(() => void Object.assign(bcrypt, quick));
}

Object.assign(bcrypt, quick);
afterAll(() => void Object.assign(bcrypt, { hash, compare })); // the next file gets the same object
