// A program that calls the service, started with OpenTelemetry as well: it sends `traceparent`, and its own span.
import { createRequire } from 'node:module';
import { transactionRequest } from '../../support/factories.js';
import { send } from '../../support/http.js';

createRequire(import.meta.url)('node:http'); // what is imported only, OpenTelemetry does not see

const [url = '', token = '', propertyId = ''] = process.argv.slice(2);
const body = JSON.stringify(transactionRequest(Number(propertyId)));
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
const answer = await send(url, { method: 'POST', path: '/api/transactions', headers, body });
const { status, headers: answered } = answer;
process.stdout.write(JSON.stringify({ status, traceresponse: answered['traceresponse'] }));
