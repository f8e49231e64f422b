import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { Database } from '../database/database.js';
import { type AnswerOfMany, transactOnce } from '../database/idempotency-keys.js';
import type { IdempotentRequest } from '../http/edge/idempotency-key.js';
import type { TransactionRequest } from '../transactions/transactions.dto.js';
import {
  DRAW_TRANSACTION_IDS,
  INSERT_ANSWERED_TRANSACTIONS,
  recordOf,
} from '../transactions/transactions.queries.js';
import { byOwner } from './owners.js';

/** Records a few transactions at once, and responds with each of them. */
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
        const record = { id: drawn[index]?.id ?? '', ...recordOf(request) };
        return { propertyId: request.propertyId, record };
      });
      const texts = new Map<string, string>();
      for (const [ownerId, own] of await byOwner(run, caller, rows)) {
        const values = [ownerId, JSON.stringify(own.map(({ record }) => record))];
        const written = await run<{ id: string; json: string }>(INSERT_ANSWERED_TRANSACTIONS, values);
        for (const { id, json } of written) texts.set(id, json);
      }
      return `{"transactions":[${rows.map(({ record }) => texts.get(record.id)).join(',')}]}`;
    });
  }
}
