import { type Kind, NO_STRING, plain, quoted, UNSTORABLE } from './kind.js';

/** Nothing is trimmed, normalised or escaped away. */
const KEPT_TEXTS = plain(
  ...['', '  padded  ', 'NULL'].map(quoted),
  quoted('"quoted" it\'s <b> %_ back\\slash\n\t\u0001\u001f\u007f\ufeff\uffff e\u0301 Ü 👩‍👩‍👧‍👦 \u200f\u05e9'),
);

export const text255: Kind = {
  accepted: [
    ...KEPT_TEXTS,
    ...plain(...['a'.repeat(255), '😀'.repeat(255), `${'❤️'.repeat(127)}a`].map(quoted)),
    [String.raw`"\ud83d\ude00\u0041\/"`, '"😀A/"'],
  ],
  refused: [
    ...NO_STRING,
    ...UNSTORABLE,
    ...plain(...['a'.repeat(256), ' '.repeat(256), '😀'.repeat(256), '❤️'.repeat(255)].map(quoted)),
  ],
};

/** Without a bound of its own. */
export const anyText: Kind = {
  accepted: [...KEPT_TEXTS, ...plain(...['a'.repeat(256), '😀'.repeat(20_000)].map(quoted))],
  refused: [...NO_STRING, ...UNSTORABLE],
};

export const longText: Kind = {
  accepted: [
    ...KEPT_TEXTS,
    ...plain(...['a'.repeat(256), 'a'.repeat(10_000), '😀'.repeat(10_000)].map(quoted)),
  ],
  refused: [...NO_STRING, ...UNSTORABLE, ...plain(...['a'.repeat(10_001), '😀'.repeat(10_001)].map(quoted))],
};

/** The grammar has a table of its own; here is what every such field must know of it. */
export const dateTime: Kind = {
  accepted: [
    ['"2026-01-15T10:30:00Z"', '"2026-01-15T10:30:00.000Z"'],
    ['"2026-01-15T10:30"', '"2026-01-15T10:30:00.000Z"'],
    ['"2026-01-15T10:30:00.9999+02:00"', '"2026-01-15T08:30:00.999Z"'],
    ['"0001-01-01T00:00:00Z"', '"0001-01-01T00:00:00.000Z"'],
    ['"9999-12-31T23:59:59.999Z"', '"9999-12-31T23:59:59.999Z"'],
  ],
  refused: plain(
    ...['2026-01-15', '2026-02-30T00:00:00Z', '2026-01-15T24:00:00Z', '', 'now', 'infinity'].map(quoted),
    ...['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-00:01'].map(quoted),
    ...['1768473000000', '1.5', 'true', '["2026-01-15T10:30:00Z"]', '{}', String.raw`"\u0000"`],
  ),
};
