-- Written by npm run sql.

-- Each minute

DELETE
  FROM idempotency_keys k
  WHERE k.created_at < now() - interval '24 hours' AND k.created_at <=
  (SELECT o.created_at
    FROM idempotency_keys o
    ORDER BY o.created_at
    LIMIT 1) + interval '1 minute'
  RETURNING k.key;
