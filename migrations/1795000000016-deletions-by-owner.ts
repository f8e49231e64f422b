import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ALLOW_TRIGGERS } from './1795000000003-totals.js';
import { counted, OF_COUNTING } from './1795000000007-bulk-totals.js';
import { COUNTED_BY_PROPERTY } from './1795000000010-deletions-by-statement.js';

/**
 * The rows that one statement deletes were counted by property: the first of an owner at once, each further one by a note,
 * which the end of the transaction adds up. Most owners are counted for the first time in their transaction, and then all
 * their properties can be counted at once by one UPDATE: no notes, and nothing to add up.
 */
export class DeletionsByOwner1795000000016 implements MigrationInterface {
  name = 'DeletionsByOwner1795000000016';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(ALLOW_TRIGGERS);
    await runner.query(COUNTED_BY_OWNER);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(ALLOW_TRIGGERS);
    await runner.query(COUNTED_BY_PROPERTY);
  }
}

/** All of an owner's properties, in the order of `properties`. */
const OF_OWNER = {
  first: `UPDATE owner_totals SET transactions = transactions + change, last_writer = me WHERE owner_id = owner;
       UPDATE property_totals SET transactions = transactions + changes[array_position(properties, property_id)]
        WHERE owner_id = owner AND property_id = ANY (properties);`,
  note: `(SELECT string_agg(p || ',0,' || changes[n] || ';', '') FROM unnest(properties) WITH ORDINALITY AS u (p, n))`,
};

/** Owner by owner, so that whoever deletes rows of several locks them in one order. */
const COUNTED_BY_OWNER = `CREATE OR REPLACE FUNCTION count_deleted_transactions() RETURNS trigger LANGUAGE plpgsql AS $$
   DECLARE
     owner bigint;
     change integer;
     properties bigint[];
     changes integer[];
     ${OF_COUNTING}
   BEGIN
     FOR owner, change, properties, changes IN
       SELECT d.owner_id, sum(d.rows), array_agg(d.property_id), array_agg(d.rows)
         FROM (SELECT owner_id, property_id, -count(*)::integer AS rows FROM deleted GROUP BY 1, 2) d GROUP BY 1 ORDER BY 1
     LOOP
       ${counted(OF_OWNER, 'CONTINUE')}
     END LOOP;
     RETURN NULL;
   END $$`;
