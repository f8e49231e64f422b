import { Module } from '@nestjs/common';
import { PropertiesModule } from '../properties/properties.module.js';
import { ReportsController } from './reports.controller.js';
import { ReportsService } from './reports.service.js';

@Module({ imports: [PropertiesModule], controllers: [ReportsController], providers: [ReportsService] })
export class ReportsModule {}
