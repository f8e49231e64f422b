/**
 * The server that the benchmark compares with: the same responses from the same database, written by hand on Fastify,
 * pg with prepared statements and jsonwebtoken, without the service's own ideas about totals, pages and JSON.
 */
import { createSecretKey } from 'node:crypto';
import { parseArgs } from 'node:util';
import fastify from 'fastify';
import pg from 'pg';
import { addAccounts, authenticator } from './accounts.js';
import { HttpError } from './errors.js';
import { addProperties } from './properties.js';
import { addTransactions } from './transactions.js';

const option = { type: 'string', default: '' } as const;
const { values } = parseArgs({
  options: { port: option, database: option, pool: option, secret: option },
});

const pool = new pg.Pool({
  connectionString: values.database,
  max: Number(values.pool),
  application_name: 'reference',
});
pool.on('error', () => undefined);
const app = fastify();
const key = createSecretKey(values.secret, 'utf8');
const authenticate = authenticator(pool, key);

app.setErrorHandler((error, _request, reply) => {
  if (!(error instanceof HttpError)) process.stderr.write(`${String(error)}\n`);
  const status = error instanceof HttpError ? error.status : 500;
  void reply.code(status).send({ status, title: status === 500 ? 'Internal error' : String(error) });
});
app.get('/actuator/health/readiness', async () => {
  await pool.query('SELECT 1');
  return { status: 'UP' };
});
addAccounts(app, pool, key, authenticate);
addProperties(app, pool, authenticate);
addTransactions(app, pool, authenticate);
await app.listen({ port: Number(values.port), host: '127.0.0.1' });
