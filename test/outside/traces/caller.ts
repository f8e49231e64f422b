// A client of the service under OpenTelemetry: it sends `traceparent`, and a span of its own.
import { createRequire } from 'node:module';
import { transactionRequest } from '../../support/factories.js';
import { send } from '../../support/client.js';

createRequire(import.meta.url)('node:http'); // OpenTelemetry does not see imports

const [url = '', token = '', propertyId = ''] = process.argv.slice(2);
const body = JSON.stringify(transactionRequest(Number(propertyId)));
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
const response = await send(url, { method: 'POST', path: '/api/transactions', headers, body });
const [, trace] = String(response.headers.get('traceresponse')).split('-');
process.stdout.write(JSON.stringify({ status: response.status, trace }));
