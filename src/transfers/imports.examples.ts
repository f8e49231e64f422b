/** Media type → a file. */
export const IMPORTED_FILES: Readonly<Record<string, string>> = {
  'text/csv': [
    'date,propertyId,type,category,amount,description,paymentReference,status,tags',
    '2026-03-14T15:00:00Z,1,INCOME,BOOKING_PAYMENT,436.50,"Three nights, March",TRF-88121,PAID,"[""spring""]"',
    '2026-03-15T09:30:00Z,1,EXPENSE,CLEANING,60,Cleaning,INV-1204,PAID,',
    '',
  ].join('\r\n'),
  'application/x-ndjson': [
    {
      propertyId: 1,
      type: 'INCOME',
      category: 'BOOKING_PAYMENT',
      description: 'Three nights in March',
      amount: 436.5,
      date: '2026-03-14T15:00:00Z',
    },
  ]
    .map((row) => `${JSON.stringify(row)}\n`)
    .join(''),
};
