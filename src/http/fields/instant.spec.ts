import { ACCEPTED_DATE_TIMES, REFUSED_DATE_TIMES } from '../../../test/support/date-times.js';
import { instantOf } from './instant.js';

describe('instantOf', () => {
  it.each(ACCEPTED_DATE_TIMES)('reads %s as %s', (text, instant) => {
    expect(instantOf(text)).toBe(instant);
  });

  it.each(REFUSED_DATE_TIMES)('refuses %j', (text) => {
    expect(instantOf(text)).toBeUndefined();
  });

  it('knows every day of the calendar', () => {
    const lengths = (year: number): number[] =>
      Array.from({ length: 12 }, (_, month) => {
        const days = Array.from({ length: 31 }, (_, day) => [year, month + 1, day + 1]);
        const texts = days.map(
          (parts) => `${parts.map((part) => String(part).padStart(2, '0')).join('-')}T00:00Z`,
        );
        return texts.filter((text) => instantOf(text) !== undefined).length;
      });
    expect(lengths(2025)).toEqual([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);
    expect(lengths(2024)).toEqual([31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);
  });
});
