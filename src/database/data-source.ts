import type { Type } from '@nestjs/common';
import type pg from 'pg';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../../migrations/all.js';
import type { LedgerClient } from './client.js';

/** Knows its entities before there is a connection: the database may be away. */
class Unconnected extends DataSource {
  async built(): Promise<DataSource> {
    await this.buildMetadatas();
    return this;
  }
}

/** The entities and the migrations, on the connections of the given pool: TypeORM opens none of its own. */
export async function createDataSource(pool: pg.Pool, entities: readonly Type[]): Promise<DataSource> {
  const dataSource = new Unconnected({
    type: 'postgres',
    driver: { Pool: sharing(pool) },
    entities: [...entities],
    migrations: MIGRATIONS,
    logging: false,
    logger: 'debug', // its others print failed migrations all the same
  });
  return dataSource.built();
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
