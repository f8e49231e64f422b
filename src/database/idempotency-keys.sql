-- Written by npm run sql.

-- Each minute

SELECT k.created_at::text AS created_at
  FROM idempotency_keys k
  WHERE k.created_at < now() - interval '24 hours'
  ORDER BY k.created_at
  LIMIT 1;
