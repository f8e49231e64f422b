import { together } from '../support/together.js';

together('model', 'fuzz');
