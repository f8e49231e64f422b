import { renameSync, writeFileSync } from 'node:fs';
import { Places } from '../../../src/common/concurrency/places.js';
import { Turn } from '../../../src/common/concurrency/turns.js';
import { Fault } from '../../../src/common/validation/field.js';

// Loaded into the service before its entry point: writes down what no response shows.

/** The most that a service has done at once. */
export interface Meters {
  /** Of the places, or bytes, that are there. */
  readonly taken: number;
  readonly characters: number;
  readonly values: number;
  readonly faults: number;
}

const INTERVAL = 100;
const most = { taken: 0, characters: 0, values: 0, faults: 0 };

function note(name: keyof Meters, value: number): void {
  most[name] = Math.max(most[name], value);
}

type Method = (this: Record<string, number>, ...values: number[]) => unknown;

/** Calls back with the object before each call of its method. */
function watch(
  { prototype }: { readonly prototype: object },
  name: string,
  before: (self: Record<string, number>, ...values: number[]) => void,
): void {
  const methods = prototype as Record<string, Method>;
  const method = methods[name]!;
  methods[name] = function (...values) {
    before(this, ...values);
    return method.apply(this, values);
  };
}

watch(Turn, 'fills', ({ values = 0, characters = 0 }, more = 0, length = 0) => {
  note('values', values + more);
  note('characters', characters + length);
});
watch(Places, 'enter', ({ taken = 0, size = 0 }, _taker, _line, count = 0) =>
  note('taken', (taken + count) / size),
);
watch(Fault, 'add', ({ size = 0 }) => note('faults', size));
let written = '';
setInterval(() => {
  const [file, text] = [process.env['METERS']!, JSON.stringify(most)];
  if (text === written) return; // the disk may be slow
  written = text;
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file); // a reader never sees half of it
}, INTERVAL).unref();
