import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Indexes for the order of every list. Each ends in the id, the last tie-break, and begins with the owner; a list
 * in the other direction reads its index backwards and puts only the rows that tie in order (an incremental sort).
 * Texts are compared by code point, as the lists sort them, whatever the locale of the database.
 *
 * Properties have none: an owner has few, and the primary key finds them all.
 */
const OWNER_ORDERS: Record<string, string> = {
  date: 'date DESC',
  amount: 'amount',
  created_at: 'created_at',
  updated_at: 'updated_at',
  due_date: 'due_date',
  paid_at: 'paid_at',
  category: 'category COLLATE "C"',
  type: 'type COLLATE "C"',
  status: 'status COLLATE "C"',
  description: 'description COLLATE "C"',
  vendor: 'vendor COLLATE "C"',
};

export class ListsAndSearch1795000000004 implements MigrationInterface {
  name = 'ListsAndSearch1795000000004';

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, order] of Object.entries(OWNER_ORDERS)) {
      await runner.query(
        `CREATE INDEX transactions_owner_${name}_idx ON transactions (owner_id, ${order}, id)`,
      );
    }
    // The list of one property, and what the foreign key looks through when a property is deleted.
    await runner.query(
      'CREATE INDEX transactions_property_date_idx ON transactions (owner_id, property_id, date DESC, id)',
    );
    // ADMIN's list of everything.
    await runner.query('CREATE INDEX transactions_date_idx ON transactions (date DESC, id)');
    await this.createSearch(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE transactions DROP COLUMN search_text');
    const names = [...Object.keys(OWNER_ORDERS).map((name) => `owner_${name}`), 'property_date', 'date'];
    for (const name of names) await runner.query(`DROP INDEX transactions_${name}_idx`);
  }

  /**
   * One column with everything that free text is looked for in, in lower case, and one trigram index on it in
   * place of six. U+001F keeps a term from matching across two fields. The extension is trusted: whoever owns
   * the database may create it.
   */
  private async createSearch(runner: QueryRunner): Promise<void> {
    const fields = [
      'description',
      'notes',
      'vendor',
      'subcategory',
      'payment_reference',
      'booking_reference',
    ];
    const text = fields.map((field) => `coalesce(${field}, '')`).join(` || E'\\x1f' || `);
    await runner.query(
      `ALTER TABLE transactions ADD COLUMN search_text text GENERATED ALWAYS AS (lower(${text})) STORED`,
    );
    await runner.query('CREATE EXTENSION IF NOT EXISTS pg_trgm');
    await runner.query(
      'CREATE INDEX transactions_search_text_idx ON transactions USING gin (search_text gin_trgm_ops)',
    );
  }
}
