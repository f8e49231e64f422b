import { together } from '../support/together.js';

together(
  'lists',

  'search',

  'ownership',
  'exports',
  'exports-under-way',
  'shares',
);
