import { together } from '../support/together.js';

together(
  'http-edge',
  'bodies',
  'trace-context',
  'headers-and-cors',
  'problems',
  'openapi',
  'docs',
  'security',
);
