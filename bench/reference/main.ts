/**
 * The server that the benchmark compares with: the same answers from the same database, written by hand on
 * node:http and pg, without a framework and without the service's own ideas about totals, pages and JSON.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { Accounts } from './accounts.js';
import { createHttpServer, type Route } from './http.js';
import { Properties } from './properties.js';
import { Transactions } from './transactions.js';

const options = { type: 'string', default: '' } as const;
const { values } = parseArgs({
  options: { port: options, database: options, pool: options, secret: options },
});

const pool = new pg.Pool({
  connectionString: values.database,
  max: Number(values.pool),
  application_name: 'reference',
});
pool.on('error', () => undefined);
const accounts = new Accounts(pool, values.secret);
const readiness: Route = {
  method: 'GET',
  path: /^\/actuator\/health\/readiness$/,
  handle: async () => {
    await pool.query('SELECT 1');
    return { status: 'UP' };
  },
};
createHttpServer([
  ...accounts.routes,
  ...new Properties(pool, accounts).routes,
  ...new Transactions(pool, accounts).routes,
  readiness,
]).listen(Number(values.port), '127.0.0.1');
