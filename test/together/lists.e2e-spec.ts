import { together } from '../support/together.js';

together('lists', 'search', 'search-bounds', 'ownership', 'exports', 'exports-under-way');
