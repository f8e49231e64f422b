import { together } from '../support/together.js';

together('users', 'sign-up', 'sign-in', 'tokens', 'account-races');
