import { instantOf } from './calendar.js';

describe('instantOf', () => {
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
