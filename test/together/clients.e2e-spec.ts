import { together } from '../support/together.js';

together(
  'client',
  'client-network',
  'examples-requests',
  'examples-snippets',
  'examples-profit-and-loss',
  'client-package',
);
