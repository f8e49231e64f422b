import { readdirSync, readFileSync } from 'node:fs';
import { meaningOf, shown } from './tool.js';

const FOLDER = 'clients/bank-import/layouts/';
const read = (name: string): Buffer => readFileSync(FOLDER + name);
const rulesOf = (name: string): object => JSON.parse(read(`${name}.json`).toString()) as object;
const EXTENSIONS: Record<string, string> = { ofx: 'ofx', camt: 'xml' };

const RENT = '01-02 +1234.56 BOOKING_PAYMENT';
const POWER = '01-15 -64.35 UTILITIES';
const LAYOUTS: Record<string, [lines: string[], passedOver?: number]> = {
  airbnb: [
    [
      ...['01-05 +1272.74 BOOKING_PAYMENT', '01-05 -38.18 PLATFORM_FEES', '01-05 +74.23 BOOKING_PAYMENT'],
      ...['01-05 -2.23 PLATFORM_FEES', '01-05 -10.10 OTHER_EXPENSE'],
    ],
    2,
  ],
  amex: [['01-05 -58.00 SUPPLIES', '01-15 +10.10 SUPPLIES'], 1],
  'bank-of-america': [[RENT, '01-15 -1064.35 UTILITIES'], 1],
  barclays: [[RENT, POWER, '01-20 -120.00 OTHER_EXPENSE']],
  'booking-com': [
    [
      ...['01-08 +436.50 BOOKING_PAYMENT', '01-08 -71.15 PLATFORM_FEES'],
      ...['01-08 +27.50 BOOKING_PAYMENT', '01-08 -4.72 PLATFORM_FEES'],
    ],
    1,
  ],
  camt: [[RENT, POWER], 1],
  'capital-one': [[POWER, '01-10 +7.99 SUPPLIES'], 1],
  chase: [[RENT, POWER, '01-20 -120.00 OTHER_EXPENSE']],
  citi: [[POWER, '01-10 +7.99 SUPPLIES'], 1],
  commbank: [[POWER, RENT]],
  dkb: [['01-12 -1064.35 UTILITIES', '01-02 +1234.00 BOOKING_PAYMENT'], 1],
  'hsbc-uk': [[RENT, POWER]],
  'ing-nl': [[RENT, '01-05 -58.00 CLEANING']],
  monzo: [[RENT, POWER], 1],
  n26: [[RENT, '01-05 -58.00 SUPPLIES'], 1],
  natwest: [[RENT, POWER]],
  nubank: [[RENT, POWER]],
  ofx: [[RENT, POWER]],
  paypal: [['01-02 +1300.00 BOOKING_PAYMENT', '01-02 -65.44 PLATFORM_FEES', '01-05 -58.00 SUPPLIES'], 2],
  postfinance: [[POWER, RENT]],
  quickbooks: [[RENT, POWER]],
  rbc: [[RENT, POWER]],
  revolut: [[RENT, '01-05 -58.50 CLEANING'], 3],
  sparkasse: [['01-05 +1234.56 BOOKING_PAYMENT', '01-07 -64.35 UTILITIES'], 1],
  starling: [[RENT, POWER, POWER]],
  stripe: [
    [...['01-01 +436.50 BOOKING_PAYMENT', '01-01 -12.96 PLATFORM_FEES'], '01-03 -100.00 BOOKING_PAYMENT'],
    1,
  ],
  ubs: [[POWER, RENT]],
  vrbo: [
    [
      ...['01-05 +1300.00 BOOKING_PAYMENT', '01-05 -65.44 PLATFORM_FEES'],
      ...['01-19 -100.00 BOOKING_PAYMENT', '01-19 +3.20 PLATFORM_FEES'],
    ],
  ],
  'wells-fargo': [[POWER, RENT]],
  wise: [[RENT, '01-05 -58.50 CLEANING'], 2],
  xero: [[RENT, POWER]],
};

it('layouts/ has rules and a file for each bank and platform', () => {
  const names = new Set(readdirSync(FOLDER).map((name) => name.replace(/\.\w+$/, '')));
  expect([...names].toSorted()).toEqual(Object.keys(LAYOUTS).toSorted());
});

describe.each(Object.entries(LAYOUTS))('the layout of %s', (name, [lines, passedOver = 0]) => {
  const file = read(`${name}.${EXTENSIONS[name] ?? 'csv'}`);
  const rules = rulesOf(name);

  it('is read by its rules, to the sign, day and cent', () => {
    const statement = meaningOf(file, rules);
    expect(shown(statement)).toEqual(lines);
    expect(statement.passed).toHaveLength(passedOver);
  });

  it('gives a line another reference in another account alone, not beside a further column', () => {
    const references = (content: Uint8Array, more = {}): string[] =>
      meaningOf(content, { ...rules, ...more }).lines.map(({ reference }) => reference);
    const own = references(file);
    expect(new Set([...own, ...references(file, { account: 'Other' })]).size).toBe(own.length * 2);
    if (name in EXTENSIONS) return;
    const [[separator = ',']] = /[;,]/.exec(file.toString('latin1').split('\n').at(-2)!)! as unknown as [
      string[],
    ];
    const text = file.toString('latin1');
    const wider = JSON.stringify(rules).includes('"date":1,')
      ? text.replaceAll(/([^\r\n])(\r?\n)/g, `$1${separator}x$2`)
      : text.replaceAll(/^(\xef\xbb\xbf)?(?=[^\r\n])/gm, `$1x${separator}`);
    expect(references(Buffer.from(wider, 'latin1'))).toEqual(own);
  });
});

it('the package has the version of the service, and the dependencies of its tests', () => {
  const [own, service] = ['clients/bank-import/package.json', 'package.json'].map(
    (path) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, Record<string, string>>,
  );
  expect([own!['version'], own!['engines']]).toEqual([service!['version'], service!['engines']]);
  expect({ ...service!['dependencies'], ...service!['devDependencies'] }).toMatchObject(
    own!['dependencies']!,
  );
});
