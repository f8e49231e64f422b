import { together } from '../support/together.js';

together(
  'http-edge',
  'refusals',
  'smuggling',
  'bodies',
  'trace-context',
  'headers-and-cors',
  'problems',
  'openapi',
  'docs',
  'security',
);
