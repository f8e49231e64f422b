import { Fault } from './fields.js';
import { sortKeys } from './sort.js';

describe('sortKeys', () => {
  const read = sortKeys(['id', 'date', 'amount']);

  it.each([
    ['date', [['date', 'ASC']]],
    ['date,asc', [['date', 'ASC']]],
    ['date,desc', [['date', 'DESC']]],
    [
      ['amount,desc', 'date'],
      [
        ['amount', 'DESC'],
        ['date', 'ASC'],
      ],
    ],
    [
      ['date,desc', 'id,desc'],
      [
        ['date', 'DESC'],
        ['id', 'DESC'],
      ],
    ],
  ])('reads %j', (wire, keys) => {
    expect(read(wire)).toEqual(keys.map(([field, direction]) => ({ field, direction })));
  });

  it('lets a field that comes again change nothing', () => {
    expect(read(['date,desc', 'amount', 'date,asc'])).toEqual([
      { field: 'date', direction: 'DESC' },
      { field: 'amount', direction: 'ASC' },
    ]);
  });

  it.each([
    '',
    ',',
    'date,',
    ',desc',
    'Date',
    'date,up',
    'date,desc,asc',
    'date desc',
    ' date',
    'date, desc',
    'date;',
    'date,desc;DROP TABLE transactions',
    'toString',
    'constructor',
    '__proto__',
    'owner_id',
  ])('refuses %j and names what is allowed', (wire) => {
    const fault = read(wire);
    expect(fault).toBeInstanceOf(Fault);
    expect([...(fault as Fault).messages.values()].join()).toContain('id, date, amount');
  });

  it('refuses a list with one bad key', () => {
    expect(read(['date', 'nope'])).toBeInstanceOf(Fault);
  });
});
