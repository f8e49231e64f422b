import { together } from '../support/together.js';

together('database-life', 'shutdown', 'start', 'read-only', 'key-rotation', 'doctor');
