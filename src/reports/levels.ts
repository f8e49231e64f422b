import { Fault, fieldReader } from '../http/fields/fields.js';

export const LEVELS = ['property', 'category', 'month', 'quarter', 'year'] as const;
export type Level = (typeof LEVELS)[number];

const ANY = `(${LEVELS.join('|')})`;
const MESSAGE = `must be one or two different ones of ${LEVELS.join(', ')}, with a comma between them`;

/** `property` or `property,month`: what a report is grouped by, the outer level first. */
export const levels = fieldReader(
  { type: 'string', pattern: `^${ANY}(,${ANY})?$` },
  (wire: unknown): readonly Level[] | Fault => {
    const names = typeof wire === 'string' ? wire.split(',') : [];
    const found = names.flatMap((name) => LEVELS.filter((level) => level === name));
    const isRight = found.length > 0 && found.length === names.length && new Set(names).size === names.length;
    return isRight && found.length <= 2 ? found : Fault.of(MESSAGE);
  },
);
