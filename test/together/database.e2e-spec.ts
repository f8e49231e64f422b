import { together } from '../support/together.js';

<<<<<<< HEAD
together('database-roles', 'migrations', 'poolers', 'standby');
=======
together('database-roles', 'migrations', 'standby', 'distribution', 'distributable-schema', 'distribute');
>>>>>>> 9570c4b (Spread the tables over a Citus cluster by owner with db distribute, and let doctor look at the cluster)
