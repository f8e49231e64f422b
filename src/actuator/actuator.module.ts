import { Module } from '@nestjs/common';
import { Availability } from './availability.js';

@Module({
  providers: [Availability],
  exports: [Availability],
})
export class ActuatorModule {}
