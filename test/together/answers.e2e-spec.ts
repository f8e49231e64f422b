import { together } from '../support/together.js';

together('headers-and-cors', 'problems', 'openapi', 'docs', 'security');
