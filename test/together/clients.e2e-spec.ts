import { together } from '../support/together.js';

together(
  'clients/typescript/test/client.spec',
  'clients/typescript/test/network.spec',
  'clients/typescript/test/package.spec',
);
