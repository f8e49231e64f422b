import { together } from '../support/together.js';

together('cli', 'quickstart');
