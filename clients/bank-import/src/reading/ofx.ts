import { Refusal } from '../faults.js';
import { folded, type Row, severalAccounts, type StatedBalance, type Table } from './table.js';
import { type Element, elementsIn } from './xml.js';

const NAMES = ['DTPOSTED', 'TRNAMT', 'TRNTYPE', 'FITID', 'NAME', 'MEMO', 'CHECKNUM', 'CURDEF', 'ACCTID'];
/** Amounts of OFX have signs. */
const FORMAT = {
  columns: {
    ...{
      date: 'DTPOSTED',
      amount: 'TRNAMT',
      reference: 'FITID',
      vendor: 'NAME',
      description: ['NAME', 'MEMO'],
    },
    ...{ currency: 'CURDEF' },
  },
  everything: 'in',
  dateFormat: 'YYYY-MM-DD',
};

export function isOfx(text: string): boolean {
  return /^\s*(OFXHEADER:|<(\?(xml|OFX)\b[^>]*>\s*<)*\??OFX\b)/i.test(text);
}

/** The lines of OFX, version 1 (SGML) and 2 (XML). */
export function ofxTable(text: string): Table {
  const root = elementsIn(text.slice(text.search(/<OFX>/i)), false);
  const statements = ['BANKMSGSRSV1/STMTTRNRS/STMTRS', 'CREDITCARDMSGSRSV1/CCSTMTTRNRS/CCSTMTRS'].flatMap(
    (path) => root.all(`OFX/${path}`),
  );
  if (statements.length === 0) throw new Refusal('the OFX file has no statement of a bank account or a card');
  const [balances, accounts]: [StatedBalance[], string[]] = [[], []];
  const rows = statements.flatMap((statement) => {
    const currency = statement.textAt('CURDEF');
    const account = statement.textAt('BANKACCTFROM/ACCTID', 'CCACCTFROM/ACCTID');
    const given: Record<string, string> = { CURDEF: currency, ACCTID: account };
    accounts.push(account);
    const [closing, day] = ['BALAMT', 'DTASOF'].map((name) => statement.textAt(`LEDGERBAL/${name}`));
    if (closing) balances.push({ account, currency, closing, day: moment(day ?? '').slice(0, 10) });
    return statement.all('BANKTRANLIST/STMTTRN').map((line) => {
      const cells = NAMES.map((name) => folded(cellIn(line, name) || (given[name] ?? '')));
      return { line: line.line, cells, ...faultOf(line) };
    });
  });
  return { names: NAMES, rows, format: FORMAT, balances, ...severalAccounts(accounts) };
}

function cellIn(line: Element, name: string): string {
  const text = line.textWithin(name === 'CURDEF' ? 'CURSYM' : name);
  return name === 'DTPOSTED' ? moment(text) : text;
}

const MOMENT =
  /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(?:\.\d+)?(?:\[([+-]?)(\d{1,2})(?:[.:](\d\d))?(?::?\w+)?\])?$/;

/** `20260102093000.000[-5:EST]` as `2026-01-02 09:30:00 -05:00`. Without a zone it is the bank's day. */
function moment(text: string): string {
  const [, year, month, day, hour, minute, second = '00', sign, hours = '', part = '00'] =
    MOMENT.exec(text) ?? [];
  if (year === undefined) return text;
  const time = hour === undefined ? '' : ` ${hour}:${minute}:${second}`;
  const minutes = part === '50' ? '30' : part; // some write half an hour as .50
  const zone =
    hours === '' || time === '' ? '' : ` ${sign === '-' ? '-' : '+'}${hours.padStart(2, '0')}:${minutes}`;
  return `${year}-${month}-${day}${time}${zone}`;
}

/** Some banks write amounts without signs beside the type, against the standard. */
function faultOf(line: Element): Pick<Row, 'fault' | 'unlessBy'> {
  const [type, amount] = [line.textWithin('TRNTYPE'), line.textWithin('TRNAMT')];
  if (
    !(type === 'DEBIT' && /^\+?[\d.,]*[1-9]/.test(amount)) &&
    !(type === 'CREDIT' && amount.startsWith('-'))
  )
    return {};
  return {
    unlessBy: 'TRNTYPE',
    fault: `is a ${type} of ${amount}, which contradict each other; "columns": {"direction": "TRNTYPE"} trusts the type`,
  };
}
