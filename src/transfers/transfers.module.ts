import { Module } from '@nestjs/common';
import { PropertiesModule } from '../properties/properties.module.js';
import { TransactionsModule } from '../transactions/transactions.module.js';
import { ExportService } from './export.service.js';
import { ImportService } from './import.service.js';
import { TransfersController } from './transfers.controller.js';

@Module({
  imports: [PropertiesModule, TransactionsModule],
  controllers: [TransfersController],
  providers: [ExportService, ImportService],
})
export class TransfersModule {}
