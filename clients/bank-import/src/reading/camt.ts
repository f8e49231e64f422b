import { Refusal } from '../faults.js';
import { folded, severalAccounts, type StatedBalance, type Table } from './table.js';
import { type Element, elementsIn } from './xml.js';

const NAMES = [
  'BookgDt',
  'Amt',
  'CdtDbtInd',
  'AcctSvcrRef',
  'Name',
  'Rmtinf',
  'Ccy',
  'Account',
  'Sts',
  'EndToEndId',
];
const FORMAT = {
  columns: {
    ...{ date: 'BookgDt', amount: 'Amt', direction: 'CdtDbtInd', reference: 'AcctSvcrRef', vendor: 'Name' },
    ...{ description: ['Name', 'Rmtinf'], currency: 'Ccy' },
  },
  ...{ in: ['CRDT'], out: ['DBIT'], dateFormat: 'YYYY-MM-DD', decimal: '.' },
  skip: [
    { column: 'Sts', equals: 'PDNG' },
    { column: 'Sts', equals: 'INFO' },
  ],
};
/** What banks write where they have no reference. */
const NO_REFERENCE = /^(NOTPROVIDED|NONREF|0*)$/i;

export function isCamt(text: string): boolean {
  return /^\s*<[^]{0,500}?urn:iso:std:iso:20022:tech:xsd:camt\./.test(text);
}

/** The booked entries of a statement in CAMT.053. */
export function camtTable(text: string): Table {
  const statements = elementsIn(text, true).all('Document/BkToCstmrStmt/Stmt');
  if (statements.length === 0) throw new Refusal('the CAMT file has no statement: this tool reads camt.053');
  const rows = statements.flatMap((statement) =>
    statement
      .all('Ntry')
      .map((entry) => ({ line: entry.line, cells: cellsOf(entry, accountOf(statement)).map(folded) })),
  );
  return {
    names: NAMES,
    rows,
    format: FORMAT,
    balances: statements.map(balanceOf),
    ...severalAccounts(statements.map(accountOf)),
  };
}

function accountOf(statement: Element): string {
  return statement.textAt('Acct/Id/IBAN', 'Acct/Id/Othr/Id');
}

/** One line for each entry: the single payments of a collective one are not on the account. */
function cellsOf(entry: Element, account: string): string[] {
  const details = entry.all('NtryDtls/TxDtls');
  const [amount] = entry.all('Amt');
  const isIn = entry.textAt('CdtDbtInd') === 'CRDT';
  const party = isIn ? 'Dbtr' : 'Cdtr';
  const of = (...paths: string[]): string =>
    [...new Set(details.map((detail) => detail.textAt(...paths)))].join(' ').trim();
  const inner = details.length === 1 ? (details[0]?.textAt('Refs/AcctSvcrRef') ?? '') : '';
  const reference = [entry.textAt('AcctSvcrRef'), inner].find((text) => !NO_REFERENCE.test(text)) ?? '';
  return [
    entry.textAt('BookgDt/Dt', 'BookgDt/DtTm', 'ValDt/Dt', 'ValDt/DtTm'),
    amount?.text ?? '',
    entry.textAt('CdtDbtInd'),
    reference,
    of(`RltdPties/${party}/Pty/Nm`, `RltdPties/${party}/Nm`),
    of('RmtInf/Ustrd', 'RmtInf/Strd/CdtrRefInf/Ref') || entry.textAt('AddtlNtryInf'),
    amount?.attributes['Ccy'] ?? '',
    account,
    entry.textAt('Sts/Cd', 'Sts'),
    of('Refs/EndToEndId'),
  ];
}

function balanceOf(statement: Element): StatedBalance {
  const found = (codes: RegExp): Element | undefined =>
    statement.all('Bal').find((balance) => codes.test(balance.textAt('Tp/CdOrPrtry/Cd')));
  const signed = (balance: Element | undefined): string | undefined =>
    balance && `${balance.textAt('CdtDbtInd') === 'DBIT' ? '-' : ''}${balance.textAt('Amt')}`;
  const [opening, closing] = [found(/^(OPBD|PRCD)$/), found(/^CLBD$/)];
  const currency = (closing ?? opening)?.all('Amt')[0]?.attributes['Ccy'] ?? '';
  const [first, last] = [signed(opening), signed(closing)];
  return {
    ...{
      account: accountOf(statement),
      currency,
      day: closing?.textAt('Dt/Dt', 'Dt/DtTm').slice(0, 10) ?? '',
    },
    ...(first === undefined ? {} : { opening: first }),
    ...(last === undefined ? {} : { closing: last }),
  };
}
