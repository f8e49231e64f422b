import fc from 'fast-check';
import type { Line, Statement } from '../src/meaning/statement.js';
import { judge } from '../src/sending/doubts.js';
import { type Journal, journalText } from '../src/sending/journal.js';
import { BASE, meaningOf } from './tool.js';

/** What happened, as the oracle knows it. */
interface Event {
  readonly day: number;
  readonly hour: number;
  readonly cents: number;
  readonly fee: number;
  readonly text: string;
}

const HOST = 'America/New_York';
const FIRST = Date.UTC(2025, 11, 28, 5); // midnight of the host
const RUNS = Number(process.env['STATEMENTS'] ?? 40);

const event = fc.record({
  day: fc.integer({ min: 0, max: 8 }),
  hour: fc.integer({ min: 0, max: 23 }),
  cents: fc.constantFrom(1, 100, 799, 10_000, 123_456).chain((size) => fc.constantFrom(size, size, -size)),
  fee: fc.constantFrom(0, 0, 320, -50),
  text: fc.constantFrom('Rent', 'Fee', 'Zo\u00eb', 'Coffee, black', 'say "hi"'),
});

/** How one download of a part of the statement is printed. */
const printing = fc.record({
  from: fc.integer({ min: 0, max: 8 }),
  length: fc.integer({ min: 1, max: 9 }),
  newestFirst: fc.boolean(),
  trailingZeros: fc.constantFrom(0, 1, 2, 4),
  extra: fc.boolean(),
  renamed: fc.boolean(),
  zone: fc.constantFrom('Z', '+01:00', ' -0500'),
  semicolons: fc.boolean(),
  decomposed: fc.boolean(),
});
type Printing = typeof printing extends fc.Arbitrary<infer T> ? T : never;

const decimal = (cents: number, { trailingZeros }: Printing): string => {
  const digits = String(Math.abs(cents)).padStart(3, '0').replace(/..$/, '.$&');
  const cut = trailingZeros === 0 ? digits.replace(/\.?0+$/, '') : digits;
  return `${cents < 0 ? '-' : ''}${trailingZeros > 2 && cut.includes('.') ? `${cut}00` : cut}`;
};

interface Kind {
  readonly rules: { readonly columns: object; readonly [key: string]: unknown };
  readonly columns: readonly string[];
  readonly cells: (event: Event, print: Printing, index: number, balance: number) => string[];
  readonly hasFee?: boolean;
  /** Balances of one day may add up in both orders: the tool asks. */
  readonly leastDays?: number;
}

const COLUMNS = { date: 'When', description: 'What' };
const side = (wanted: boolean, text: string): string => (wanted ? text : '');

const KINDS: Record<string, Kind> = {
  balance: {
    rules: { columns: { ...COLUMNS, amount: 'Sum', balance: 'Then' }, decimal: '.' },
    columns: ['Sum', 'Then'],
    leastDays: 2,
    cells: ({ cents }, print, _, balance) => [decimal(Math.abs(cents), print), decimal(balance, print)],
  },
  'balance that no rule names': {
    rules: { columns: { ...COLUMNS, amount: 'Sum' }, everything: 'in', decimal: '.' },
    columns: ['Sum', 'Then'],
    cells: ({ cents }, print, _, balance) => [decimal(cents, print), decimal(balance, print)],
  },
  signs: {
    rules: { columns: { ...COLUMNS, amount: 'Sum' }, everything: 'in', decimal: '.' },
    columns: ['Sum'],
    cells: ({ cents }, print) => [decimal(cents, print)],
  },
  direction: {
    rules: {
      columns: { ...COLUMNS, amount: 'Sum', direction: 'Way' },
      ...{ in: 'Entrada', out: 'Sa\u00edda', creditSign: '+', debitSign: '+', decimal: '.' },
    },
    columns: ['Sum', 'Way'],
    cells: ({ cents, hour }, print) => {
      const isReversal = hour > 20;
      return [
        decimal(isReversal ? -Math.abs(cents) : Math.abs(cents), print),
        cents > 0 !== isReversal ? 'ENTRADA' : 'Sai\u0301da',
      ];
    },
  },
  'credit and debit': {
    rules: {
      columns: { ...COLUMNS, credit: 'In', debit: 'Out' },
      creditSign: '+',
      debitSign: '+',
      decimal: '.',
    },
    columns: ['In', 'Out'],
    cells: ({ cents, hour }, print) => {
      const isReversal = hour > 20;
      const amount = decimal(isReversal ? -Math.abs(cents) : Math.abs(cents), print);
      const isIn = cents > 0 !== isReversal;
      return [side(isIn, amount), side(!isIn, amount) || '-'];
    },
  },
  fees: {
    rules: {
      columns: { ...COLUMNS, amount: 'Sum', fee: 'Fee' },
      everything: 'in',
      feeSign: '+',
      feeCategory: 'PLATFORM_FEES',
      decimal: '.',
    },
    columns: ['Sum', 'Fee'],
    cells: ({ cents, fee }, print) => [decimal(cents, print), decimal(fee, print)],
    hasFee: true,
  },
  ids: {
    rules: { columns: { ...COLUMNS, amount: 'Sum', reference: 'Id' }, everything: 'in', decimal: '.' },
    columns: ['Sum', 'Id'],
    cells: ({ cents }, print, index) => [decimal(cents, print), `tx-${index}`],
  },
};

/** The file of some days, and the balance before them. */
function print(
  events: readonly Event[],
  days: readonly [number, number],
  kind: Kind,
  printing: Printing,
): [text: string, opening: number] {
  const separator = printing.semicolons ? ';' : ',';
  let balance = 1_000_000;
  let opening = balance;
  const rows = events.flatMap((event, index) => {
    if (event.day < days[0]) opening += event.cents;
    balance += event.cents;
    if (event.day < days[0] || event.day > days[1]) return [];
    const instant = FIRST + (event.day * 24 + event.hour) * 3_600_000;
    const shift = printing.zone.includes('1') ? 3_600_000 : printing.zone.includes('5') ? -5 * 3_600_000 : 0;
    const when = new Date(instant + shift).toISOString().slice(0, 19) + printing.zone;
    const text = printing.decomposed ? event.text.normalize('NFD').toUpperCase() : event.text;
    const cells = [when, text, ...kind.cells(event, printing, index, balance)];
    return [[...cells, printing.renamed ? 'Loft' : `Loft ${index}`, ...(printing.extra ? ['x'] : [])]];
  });
  const head = ['When', 'What', ...kind.columns, 'Listing', ...(printing.extra ? ['New'] : [])];
  const lines = [head, ...(printing.newestFirst ? rows.toReversed() : rows)];
  const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
  return [lines.map((cells) => cells.map(quoted).join(separator)).join('\r\n'), opening];
}

/** What the service would have: each reference once. */
class Books {
  readonly stored = new Map<string, { cents: bigint; day: string }>();
  readonly runs: Journal[] = [];

  import(statement: Statement): void {
    const isStored = ({ reference, planned }: Line): boolean =>
      planned.some(({ suffix }) => this.stored.has(reference + suffix));
    const judged = judge(statement, this.runs, 'days', isStored);
    for (const { reference, planned, day } of judged)
      for (const { suffix, type, cents } of planned)
        this.stored.set(reference + suffix, { cents: type === 'INCOME' ? cents : -cents, day });
    const lines = judged.map((line) => ({ ...line, rows: [{ line: 1, id: '1', created: true }] }));
    this.runs.push(JSON.parse(journalText({ spans: statement.spans, lines })) as Journal);
  }

  get sums(): string[] {
    return [...this.stored.values()].map(({ cents, day }) => `${day} ${cents}`).toSorted();
  }
}

it.each(Object.entries(KINDS))(
  'statements with %s are recorded once, whatever their files are like',
  (_, kind) => {
    fc.assert(
      fc.property(
        fc.array(event, { minLength: 1, maxLength: 14 }),
        fc.array(printing, { minLength: 1, maxLength: 5 }),
        (unsorted, prints) => {
          const events = unsorted.toSorted((one, other) => one.day - other.day || one.hour - other.hour);
          const books = new Books();
          const seen = new Set<Event>();
          for (const printing of prints) {
            const days = [printing.from, printing.from + printing.length - 1] as const;
            const [text, opening] = print(events, [...days], kind, printing);
            const within = events.filter(({ day }) => day >= days[0] && day <= days[1]);
            if (new Set(within.map(({ day }) => day)).size < (kind.leastDays ?? 1)) continue;
            for (const one of within) seen.add(one);
            const options = {
              hostZone: HOST,
              opening: 'balance' in kind.rules.columns ? BigInt(opening) : undefined,
            };
            const statement = meaningOf(text, { ...BASE, ...kind.rules }, options);
            books.import(statement);
          }
          const expected = [...seen].flatMap(({ day, cents, fee }) => {
            const date = new Date(FIRST + day * 86_400_000).toISOString().slice(0, 10);
            return [`${date} ${cents}`, ...(kind.hasFee && fee !== 0 ? [`${date} ${-fee}`] : [])];
          });
          expect(books.sums).toEqual(expected.toSorted());
        },
      ),
      { numRuns: RUNS, seed: 41 },
    );
  },
);
