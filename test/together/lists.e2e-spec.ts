import { together } from '../support/together.js';

together('lists', 'search', 'search-bounds', 'ownership');
