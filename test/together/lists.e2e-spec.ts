import { together } from '../support/together.js';

together(
  'lists',
  'cursors',
  'search',
  'search-bounds',
  'ownership',
  'exports',
  'exports-under-way',
  'shares',
);
