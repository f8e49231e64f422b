import { Module } from '@nestjs/common';
import { PropertiesModule } from '../properties/properties.module.js';
import { TransactionsModule } from '../transactions/transactions.module.js';

/** Files of rows: out of the ledger, and into it. */
@Module({ imports: [PropertiesModule, TransactionsModule] })
export class TransfersModule {}
