import { VARIABLES } from '../config/env.js';
import { nearest } from './spelling.js';

describe('what was probably meant', () => {
  it.each([
    ['DB_PASWORD', 'DB_PASSWORD'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['CORS_ALLOWED_ORIGIN', 'CORS_ALLOWED_ORIGINS'],
    ['PORTS', 'PORT'],
    ['PATH', undefined], // as near to PORT as many a word of four letters
    ['HOSTNAME', undefined],
    ['', undefined],
  ])('by %p is %p', (written, meant) => {
    expect(nearest(written, VARIABLES)).toBe(meant);
  });
});
