import { together } from '../support/together.js';

together('start', 'read-only', 'key-rotation', 'doctor');
