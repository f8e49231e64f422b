import { Module } from '@nestjs/common';
import { PropertiesModule } from '../properties/properties.module.js';
import { TransactionsModule } from '../transactions/transactions.module.js';
import { ExportsController } from './exports.controller.js';
import { Exports } from './exports.js';

/** Files of rows: out of the ledger, and into it. */
@Module({
  imports: [PropertiesModule, TransactionsModule],
  controllers: [ExportsController],
  providers: [Exports],
})
export class TransfersModule {}
