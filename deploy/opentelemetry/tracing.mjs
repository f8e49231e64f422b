// Loaded before the service by NODE_OPTIONS=--import; the service knows nothing of it. All else is said by the
// variables of OpenTelemetry's specification: OTEL_SERVICE_NAME, OTEL_TRACES_EXPORTER, OTEL_TRACES_SAMPLER and so on.
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { IncomingMessage } from 'node:http';

const http = new HttpInstrumentation({
  // Probes and scrapes come every few seconds and tell nothing.
  ignoreIncomingRequestHook: ({ url }) => url.startsWith('/actuator/'),
  // Where nobody has named a trace, one begins here: thus the log and `traceresponse` name it, too.
  requestHook(span, request) {
    if (!(request instanceof IncomingMessage) || !span.isRecording()) return;
    const { traceId, spanId } = span.spanContext();
    request.headers.traceparent ??= `00-${traceId}-${spanId}-01`;
  },
  // Without numbers, so that there are only as many names as there are routes; strangers' paths are none of them.
  applyCustomAttributesOnSpan(span, request, { statusCode }) {
    if (!(request instanceof IncomingMessage) || statusCode === 401 || statusCode === 404) return;
    const [path] = request.url.split('?');
    span.updateName(`${request.method} ${path.replaceAll(/\/\d+/g, '/{id}')}`);
  },
});

const sdk = new NodeSDK({
  instrumentations: [http, new PgInstrumentation({ requireParentSpan: true })],
  metricReaders: [], // the service has metrics and a log of its own
  logRecordProcessors: [],
});
sdk.start();
// For the command line. The service ends by exit(), up to OTEL_BSP_SCHEDULE_DELAY after its last span.
process.once('beforeExit', () => void sdk.shutdown());
