import { together } from '../support/together.js';

together(
  'examples-requests',
  'examples-snippets',
  'examples-profit-and-loss',
  'examples-import',
  'examples-accountants-walk',
  'examples-banks',
  'examples-bank-faults',
);
