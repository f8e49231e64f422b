import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { Database, type RunStatement } from '../database/database.js';
import { type AnswerOfMany, transactOnce } from '../database/idempotency-keys.js';
import { notFound } from '../http/problem/problem.js';
import type { IdempotentRequest } from '../http/edge/idempotency-key.js';
import type { TransactionRequest } from '../transactions/transactions.dto.js';
import {
  DRAW_TRANSACTION_IDS,
  INSERT_ANSWERED_TRANSACTIONS,
  recordOf,
} from '../transactions/transactions.writes.js';
import { byOwner } from './owners.js';

/** Records a few transactions at once, and answers with each of them. */
@Injectable()
export class BatchService {
  constructor(private readonly database: Database) {}

  /** All or none. Throws not-found when a property is not the caller's, and idempotency-key-reused. */
  async record(
    caller: Caller,
    requests: readonly TransactionRequest[],
    once?: IdempotentRequest,
  ): Promise<AnswerOfMany> {
    return transactOnce(this.database, caller, once, async (run) => {
      const drawn = await run<{ id: string }>(DRAW_TRANSACTION_IDS, [requests.length]);
      const rows = requests.map((request, index) => {
        const { propertyId } = request;
        return { id: drawn[index]?.id ?? '', propertyId, request };
      });
      const { groups, others } = await byOwner(run, caller, rows);
      if (others.length > 0) throw notFound('property');
      const answers = new Map<string, string>();
      for (const [ownerId, own] of groups)
        for (const { id, json } of await insert(run, ownerId, own)) answers.set(id, json);
      return `{"transactions":[${rows.map(({ id }) => answers.get(id)).join(',')}]}`;
    });
  }
}

async function insert(
  run: RunStatement,
  ownerId: string,
  rows: readonly { readonly id: string; readonly request: TransactionRequest }[],
): Promise<{ id: string; json: string }[]> {
  const records = rows.map(({ id, request }) => ({ id, ...recordOf(request) }));
  return run(INSERT_ANSWERED_TRANSACTIONS, [ownerId, JSON.stringify(records)]);
}
