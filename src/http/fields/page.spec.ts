import { Fault } from './fields.js';
import { isLastPage, pageEnvelope, pageIndex, pageSize } from './page.js';
import { inQuery } from './query.js';

describe('page and size in a query', () => {
  it.each([
    ['0', 0],
    ['7', 7],
    ['2147483647', 2147483647],
  ])('takes page %j', (wire, value) => expect(inQuery(pageIndex)(wire)).toBe(value));

  it.each([
    ['1', 1],
    ['100', 100],
  ])('takes size %j', (wire, value) => expect(inQuery(pageSize)(wire)).toBe(value));

  const malformed = [
    '',
    ' ',
    ' 1',
    '1 ',
    '+1',
    '01',
    '00',
    '1e1',
    '1.0',
    '0x1',
    '1n',
    '-',
    '١',
    '1,2',
    'one',
    '9'.repeat(40),
  ];
  it.each([...malformed, '-1', '2147483648', ['0', '1'], [], {}])('refuses page %j', (wire) => {
    expect(inQuery(pageIndex)(wire)).toBeInstanceOf(Fault);
  });
  it('names the bounds to whoever is far past them', () => {
    expect(inQuery(pageSize)('9'.repeat(31))).toEqual(inQuery(pageSize)('101'));
  });
  it.each([...malformed, '0', '101', '-5', ['1', '2']])('refuses size %j', (wire) => {
    expect(inQuery(pageSize)(wire)).toBeInstanceOf(Fault);
  });
});

describe('pageEnvelope', () => {
  it.each([
    { total: 0, page: 0, size: 20, totalPages: 0, last: true },
    { total: 0, page: 3, size: 20, totalPages: 0, last: true },
    { total: 1, page: 0, size: 20, totalPages: 1, last: true },
    { total: 20, page: 0, size: 20, totalPages: 1, last: true },
    { total: 21, page: 0, size: 20, totalPages: 2, last: false },
    { total: 21, page: 1, size: 20, totalPages: 2, last: true },
    { total: 21, page: 2, size: 20, totalPages: 2, last: true },
    { total: 5, page: 2, size: 1, totalPages: 5, last: false },
    { total: 5, page: 2147483647, size: 100, totalPages: 1, last: true },
  ])(
    'says of page $page of $size in $total: $totalPages pages, last $last',
    ({ total, page, size, totalPages, last }) => {
      const facts = { page, size, total, last: isLastPage({ page, size, total }) };
      const envelope: unknown = JSON.parse(pageEnvelope({ content: '', ...facts }).text);
      expect(envelope).toEqual({ content: [], page, size, totalElements: total, totalPages, last });
    },
  );

  it('passes the elements on as they are', () => {
    const content = '{"id":9223372036854775807},{"id":1.10}';
    const { text } = pageEnvelope({ content, page: 0, size: 2, total: 2, last: true });
    expect(text).toContain('"content":[{"id":9223372036854775807},{"id":1.10}]');
  });
});
