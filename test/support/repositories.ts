import { DataSource, getMetadataArgsStorage } from 'typeorm';
import { EntityMetadataBuilder } from 'typeorm/metadata-builder/EntityMetadataBuilder.js';
import type { Database } from '../../src/database/database.js';
import { ApiKey } from '../../src/keys/key.entity.js';
import { KeysRepository } from '../../src/keys/keys.repository.js';
import { PropertiesRepository } from '../../src/properties/properties.repository.js';
import { Property } from '../../src/properties/property.entity.js';
import { Transaction } from '../../src/transactions/transaction.entity.js';
import { TransactionsRepository } from '../../src/transactions/transactions.repository.js';
import { User } from '../../src/users/user.entity.js';
import { UsersRepository } from '../../src/users/users.repository.js';

/** The repositories with their statements, without a database. */
export function repositories() {
  const source = new DataSource({ type: 'postgres' });
  const entities = new EntityMetadataBuilder(source, getMetadataArgsStorage()).build([
    User,
    ApiKey,
    Property,
    Transaction,
  ]);
  for (const entity of entities) source.entityMetadatasMap.set(entity.target, entity);
  const database = undefined as unknown as Database;
  const properties = new PropertiesRepository(database, source);
  const transactions = new TransactionsRepository(database, source, properties);
  const users = new UsersRepository(database, source);
  return { keys: new KeysRepository(database, source), properties, transactions, users };
}
