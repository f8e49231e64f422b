import { together } from '../support/together.js';

together('database-life', 'shutdown');
