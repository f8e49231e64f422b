import { together } from '../support/together.js';

together(
  'database-roles',
  'migrations',
  'poolers',
  'standby',
  'distribution',
  'distributable-schema',
  'distribute',
  'sql',
);
