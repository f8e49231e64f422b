import { Refusal } from '../faults.js';
import { type AccountStatement, folded, type Row, type Table } from './table.js';
import { type Element, elementsIn } from './xml.js';

const NAMES = ['DTPOSTED', 'TRNAMT', 'TRNTYPE', 'FITID', 'NAME', 'MEMO', 'CHECKNUM', 'CURDEF', 'ACCTID'];
const COLUMNS = {
  date: 'DTPOSTED',
  amount: 'TRNAMT',
  reference: 'FITID',
  vendor: 'NAME',
  currency: 'CURDEF',
};
/** Amounts of OFX have signs. */
const FORMAT = { columns: { ...COLUMNS, description: ['NAME', 'MEMO'] }, everything: 'in' };

/** The lines of OFX, version 1 (SGML) and 2 (XML); undefined for another text. */
export function ofxTable(text: string): Table | undefined {
  if (!/^\s*(OFXHEADER:|<(\?(xml|OFX)\b[^>]*>\s*<)*\??OFX\b)/i.test(text)) return undefined;
  const root = elementsIn(text.slice(text.search(/<OFX>/i)), false);
  const paths = ['BANKMSGSRSV1/STMTTRNRS/STMTRS', 'CREDITCARDMSGSRSV1/CCSTMTTRNRS/CCSTMTRS'];
  const statements = paths.flatMap((path) => root.all(`OFX/${path}`)).map(statementIn);
  if (statements.length === 0) throw new Refusal('the OFX file has no statement of a bank account or a card');
  return { names: NAMES, rows: statements.flatMap(({ rows }) => rows), format: FORMAT, statements };
}

function statementIn(element: Element): AccountStatement {
  const [account, currency] = [element.within('ACCTID'), element.within('CURDEF')];
  const [balance] = element.all('LEDGERBAL');
  const rows = element.all('BANKTRANLIST/STMTTRN').map((line, index): Row => {
    const [own] = line.all('CURRENCY'); // that of ORIGCURRENCY is not the amount's
    const cells = NAMES.map((name) => {
      if (name === 'ACCTID') return account;
      if (name === 'CURDEF') return own?.within('CURSYM') ?? currency;
      return folded(name === 'DTPOSTED' ? moment(line.within(name)) : line.within(name));
    });
    return { line: index + 1, cells, ...faultOf(line.within('TRNTYPE'), line.within('TRNAMT')) };
  });
  const day = moment(balance?.within('DTASOF') ?? '').slice(0, 10);
  return { account, currency, rows, day, closing: balance?.within('BALAMT') };
}

const MOMENT =
  /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(?:\.\d+)?(?:\[([+-]?)(\d{1,2})(?:[.:](\d\d))?(?::?\w+)?\])?$/;

/** `20260102093000.000[-5:EST]` as `2026-01-02 09:30:00 -05:00`. Without a zone it is the bank's day. */
function moment(text: string): string {
  const [, year, month, day, hour, minute, second = '00', sign, hours, part = '00'] = MOMENT.exec(text) ?? [];
  if (year === undefined) return text;
  const minutes = part === '50' ? '30' : part; // some write half an hour as .50
  const zone = hours === undefined ? '' : ` ${sign === '-' ? '-' : '+'}${hours.padStart(2, '0')}:${minutes}`;
  return `${year}-${month}-${day}${hour === undefined ? '' : ` ${hour}:${minute}:${second}${zone}`}`;
}

/** Some banks write amounts without signs beside the type, against the standard. */
function faultOf(type: string, amount: string): Pick<Row, 'fault' | 'unlessBy'> {
  const contradicts = { DEBIT: /^\+?[\d.,]*[1-9]/, CREDIT: /^-/ }[type];
  if (contradicts?.test(amount) !== true) return {};
  const fault = `is a ${type} of ${amount}, which contradict each other; "columns": {"direction": "TRNTYPE"} trusts the type`;
  return { fault, unlessBy: 'TRNTYPE' };
}
