import { Injectable } from '@nestjs/common';

/** Whether this process wants traffic; whether it can serve it is for the database check to say. */
@Injectable()
export class Availability {
  /** Set when the process has been told to stop and only finishes what it has begun. */
  draining = false;
}
