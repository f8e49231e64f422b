import { together } from '../support/together.js';

together('health', 'info', 'metrics-token', 'access-matrix', 'access-guard', 'metrics', 'monitoring');
