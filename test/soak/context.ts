import { type Call, type Caller, type Reply } from '../faults/support/http.js';
import type { Ledger } from '../faults/support/ledger.js';
import { claimsOf, forge } from '../support/forged-token.js';
import type { Random } from '../support/random.js';
import type { Answers } from './answers.js';
import type { Pace, Turn } from './pace.js';

/** What all clients have in common. */
export interface Context {
  readonly url: string;
  readonly pace: Pace;
  readonly answers: Answers;
  readonly ledger: Ledger;
  readonly random: Random;
}

/** Whoever takes part. It goes on until the load is over, which it is told by {@link Pace}'s Ended. */
export interface Client {
  run(): Promise<void>;
  /** Closes its connection; it opens another when it goes on. */
  disconnect(): void;
}

const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz0123456789-_.');

/** A name that nobody has used before, most likely. */
export function someWord(random: Random): string {
  return Array.from({ length: 4 + random.below(20) }, () => random.pick(LETTERS)).join('');
}

/** A valid token that differs from every other: the service has not seen it yet. */
export function freshToken(id: string, random: Random): string {
  return forge({ payload: claimsOf({ id }, { jti: someWord(random) }) });
}

/** Sends a request when its turn comes, and notes an answer that is not one of these. */
export async function ask(
  context: Context,
  caller: Caller,
  call: Call,
  statuses: readonly number[],
  turn: Turn = 'request',
): Promise<Reply> {
  return context.pace.take(turn, () => send(context, caller, call, statuses));
}

/** The same for whose turn it is. */
export async function send(
  { answers, random }: Context,
  caller: Caller,
  call: Call,
  statuses: readonly number[],
): Promise<Reply> {
  const headers = { 'x-request-id': someWord(random), ...call.headers };
  const reply = await caller.send({ ...call, headers });
  answers.note(nameOf(call), statuses, reply);
  return reply;
}

function nameOf({ method, path }: Call): string {
  return `${method} ${path.replaceAll(/(?<=\/)\d+/g, '{id}')}`;
}
