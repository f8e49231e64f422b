import { together } from '../support/together.js';

together('client', 'client-network', 'client-package');
