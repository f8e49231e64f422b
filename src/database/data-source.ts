import type pg from 'pg';
import { DataSource, type EntityTarget, type ObjectLiteral } from 'typeorm';
import { MIGRATIONS } from '../../migrations/all.js';
import type { LedgerClient } from './client.js';

/**
 * The entities, from which the repositories have TypeORM write their statements, and the migrations. Its connections are those
 * of the given pool: it opens none of its own.
 */
export class LedgerDataSource extends DataSource {
  private constructor(pool: pg.Pool, entities: readonly EntityTarget<ObjectLiteral>[]) {
    super({
      type: 'postgres',
      driver: { Pool: sharing(pool) },
      entities: entities as never[],
      migrations: MIGRATIONS,
      logging: false,
      logger: 'debug', // its others print failed migrations all the same
    });
  }

  /** It knows its entities before there is a connection: the database may be away. */
  static async on(
    pool: pg.Pool,
    entities: readonly EntityTarget<ObjectLiteral>[],
  ): Promise<LedgerDataSource> {
    const dataSource = new LedgerDataSource(pool, entities);
    await dataSource.buildMetadatas();
    return dataSource;
  }
}

/** A pool for TypeORM, which makes a new one at each attempt to connect: they share this one. A migration may take its time. */
function sharing(pool: pg.Pool) {
  const connect = (done: Parameters<pg.Pool['connect']>[0]): void =>
    pool.connect((error, client, release) => {
      const limitTime = (client as LedgerClient | undefined)?.takeTime();
      done(error, client, (lost) => {
        limitTime?.();
        release(lost);
      });
    });
  return function Pool() {
    return { connect, on: () => undefined, end: (done: () => void) => done() };
  };
}
