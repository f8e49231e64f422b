import { together } from '../support/together.js';

together(
  'database-roles',
  'failover',
  'migrations',
  'poolers',
  'standby',
  'distribution',
  'distributable-schema',
  'distribute',
);
