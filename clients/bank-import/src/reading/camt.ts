import { Refusal } from '../faults.js';
import { type AccountStatement, folded, type Row, type Table } from './table.js';
import { Element, elementsIn } from './xml.js';

const UNBOOKED = ['PDNG', 'INFO'];
const FORMAT = {
  columns: {
    ...{ date: 'BookgDt', amount: 'Amt', direction: 'CdtDbtInd', reference: 'AcctSvcrRef', vendor: 'Name' },
    ...{ description: ['Name', 'Rmtinf'], currency: 'Ccy' },
  },
  ...{ in: ['CRDT'], out: ['DBIT'], decimal: '.' },
  skip: UNBOOKED.map((equals) => ({ column: 'Sts', equals })),
};
/** What banks write where they have no reference. */
const NO_REFERENCE = /^(NOTPROVIDED|NONREF|0*)$/i;

/** The entries of statements in CAMT.053; undefined for another text. */
export function camtTable(text: string): Table | undefined {
  if (!/^\s*<[^]{0,500}?urn:iso:std:iso:20022:tech:xsd:camt\./.test(text)) return undefined;
  const found = elementsIn(text, true).all('Document/BkToCstmrStmt/Stmt');
  if (found.length === 0) throw new Refusal('the CAMT file has no statement: this tool reads camt.053');
  const statements = found.map(statementIn);
  const rows = statements.flatMap((statement) => statement.rows);
  const isBooked = ({ cells }: Row): boolean => !UNBOOKED.includes(cells.at(-1) ?? '');
  const booked = statements.map((statement) => ({ ...statement, rows: statement.rows.filter(isBooked) }));
  return { names: Object.keys(cellsOf(new Element(''), '')), rows, format: FORMAT, statements: booked };
}

function statementIn(statement: Element): AccountStatement {
  const account = statement.at('Acct/Id/IBAN', 'Acct/Id/Othr/Id');
  const [opening, closing] = [/^(OPBD|PRCD)$/, /^CLBD$/].map((codes) =>
    statement.all('Bal').find((balance) => codes.test(balance.at('Tp/CdOrPrtry/Cd'))),
  );
  const rows = statement.all('Ntry').map((entry, index): Row => {
    return { line: index + 1, cells: Object.values(cellsOf(entry, account)).map(folded) };
  });
  const day = closing?.at('Dt/Dt', 'Dt/DtTm').slice(0, 10) ?? '';
  const currency = currencyOf(closing ?? opening);
  return { account, currency, rows, day, opening: signed(opening), closing: signed(closing) };
}

/** One line for each entry: the single payments of a collective one are not on the account. */
function cellsOf(entry: Element, Account: string) {
  const details = entry.all('NtryDtls/TxDtls');
  const party = entry.at('CdtDbtInd') === 'CRDT' ? 'Dbtr' : 'Cdtr';
  const of = (...paths: string[]): string => {
    const all = details.flatMap(
      (one) => paths.map((path) => one.all(path)).find(({ length }) => length) ?? [],
    );
    return [...new Set(all.map(({ text }) => text.trim()))].join(' ');
  };
  const references = [entry.at('AcctSvcrRef'), details.length === 1 ? of('Refs/AcctSvcrRef') : ''];
  return {
    BookgDt: entry.at('BookgDt/Dt', 'BookgDt/DtTm', 'ValDt/Dt', 'ValDt/DtTm'),
    Amt: entry.at('Amt'),
    CdtDbtInd: entry.at('CdtDbtInd'),
    AcctSvcrRef: references.find((text) => !NO_REFERENCE.test(text)) ?? '',
    Name: of(`RltdPties/${party}/Pty/Nm`, `RltdPties/${party}/Nm`),
    Rmtinf: of('RmtInf/Ustrd', 'RmtInf/Strd/CdtrRefInf/Ref') || entry.at('AddtlNtryInf'),
    Ccy: currencyOf(entry),
    Account,
    EndToEndId: of('Refs/EndToEndId'),
    Sts: entry.at('Sts/Cd', 'Sts'),
  };
}

function currencyOf(element: Element | undefined): string {
  return element?.all('Amt')[0]?.attributes['Ccy'] ?? '';
}

function signed(balance: Element | undefined): string | undefined {
  return balance && `${balance.at('CdtDbtInd') === 'DBIT' ? '-' : ''}${balance.at('Amt')}`;
}
