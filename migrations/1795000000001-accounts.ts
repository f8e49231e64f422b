import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Accounts. Texts are `text` with a check: varchar(n) would silently cut trailing blanks past n. Ids are sequence
 * defaults, not identity columns, so that tables can be distributed again later.
 */
export class Accounts1795000000001 implements MigrationInterface {
  name = 'Accounts1795000000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE SEQUENCE users_id_seq AS bigint');
    await runner.query(`
      CREATE TABLE users (
        id            bigint         NOT NULL DEFAULT nextval('users_id_seq'),
        email         text           NOT NULL,
        username      text           NOT NULL,
        password_hash text           NOT NULL,
        first_name    text,
        last_name     text,
        role          text           NOT NULL DEFAULT 'USER',
        created_at    timestamptz(3) NOT NULL DEFAULT now(),
        updated_at    timestamptz(3) NOT NULL DEFAULT now(),
        version       integer        NOT NULL DEFAULT 1,
        CONSTRAINT users_pkey PRIMARY KEY (id),
        CONSTRAINT users_email_length CHECK (char_length(email) <= 255),
        CONSTRAINT users_username_length CHECK (char_length(username) BETWEEN 3 AND 50),
        CONSTRAINT users_password_hash_bcrypt CHECK (password_hash ~ '^\\$2[aby]\\$10\\$.{53}$'),
        CONSTRAINT users_first_name_length CHECK (char_length(first_name) <= 255),
        CONSTRAINT users_last_name_length CHECK (char_length(last_name) <= 255),
        CONSTRAINT users_role_known CHECK (role IN ('USER', 'ADMIN'))
      )`);
    await runner.query('ALTER SEQUENCE users_id_seq OWNED BY users.id');
    // Two sign-ups at once with one name in different case: these decide. The second serves the sign-in as well.
    await runner.query('CREATE UNIQUE INDEX users_email_key ON users (lower(email))');
    await runner.query('CREATE UNIQUE INDEX users_username_key ON users (lower(username))');
    await runner.query(
      `COMMENT ON COLUMN users.password_hash IS 'bcrypt, cost 10; never leaves the service'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE users');
  }
}
