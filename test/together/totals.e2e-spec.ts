import { together } from '../support/together.js';

together('totals', 'totals-in-bulk', 'recount', 'plans', 'schema');
