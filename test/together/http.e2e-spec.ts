import { together } from '../support/together.js';

together('http-edge', 'refusals', 'smuggling', 'bodies', 'trace-context');
