import { together } from '../support/together.js';

together('totals', 'recount', 'plans', 'schema');
