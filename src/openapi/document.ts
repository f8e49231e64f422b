import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { HEADER_PARAMETERS, HEADERS } from './headers.js';
import { describeOperation, type Route } from './operations.js';
import { problemResponse, problemSchemas } from './problems.js';

const INTRODUCTION = `
A ledger for short-term rental hosts: **properties**, and the income and expenses (**transactions**) recorded
against them.

1. \`POST /api/auth/signup\` makes an account, \`POST /api/auth/signin\` returns an access token that lives for an
   hour. There is no refresh token: sign in again.
2. Send the token with every other request: \`Authorization: Bearer …\`.
3. Create a property, then record transactions against it. You see your own rows; those of others are \`404\`.

**Numbers.** Amounts are exact decimals with two places, and ids are 64-bit integers. Both are JSON numbers, and both
may hold more digits than a double does (beyond 2^53): use a reader that keeps them.

**Dates.** RFC 3339 in (also with \`+02\`, \`+0200\` or a decimal comma), UTC with milliseconds out. A time without a zone
is UTC.

**Null and absent** are the same in a request, and unknown fields are ignored: what a GET returns can be sent back. In
responses every field is present. No text may hold U+0000.

**Errors** are problem documents (RFC 7807, \`application/problem+json\`). Match on \`type\`, show \`detail\`, and for
\`validation-failed\` look into \`errors\`, which names every faulty field at once.

**Retrying.** A GET may be repeated. After a PUT without a response, read and compare: the repeat of one that has
succeeded is \`409\` with \`If-Match\`, and raises the version without. After a DELETE, \`404\` is success. A repeated POST
creates a second record, unless both carry the same \`Idempotency-Key\`: then the second gets the first response again, for
a day, also when the row has been changed or deleted since.

**Concurrency.** Single properties and transactions carry an \`ETag\`. Send it back as \`If-Match\` with PUT or DELETE, and
the write only happens if the version is still the same; \`409\` says to read again.

**HEAD** is answered as GET without the body. **OPTIONS** answers a browser's preflight with \`204\`, without a token; any
other is \`405\`.
`.trim();

const TAGS: Readonly<Record<string, string>> = {
  Authentication: 'Sign up for an account; sign in for an access token.',
  'API keys': 'Keys for programs, which sign in with no password.',
  Properties: 'Rental properties. A property belongs to the account that created it.',
  Transactions:
    'Income and expenses. A transaction belongs to a property, and to the owner of that property, also when an ADMIN files it.',
  Transfers: 'Files of rows, for spreadsheets and other programs.',
  Reports: 'Sums of one owner’s transactions.',
  Users: 'Your own account; all accounts, for an ADMIN.',
  Operations: 'Health for orchestrators, metrics and build information for an ADMIN.',
};

const OPTIONS = { autoTagControllers: false, operationIdFactory: (_: string, handler: string) => handler };

/** The API document of the routes that the application has. Throws when a handler has no `@Operation`. */
export function createApiDocument(app: INestApplication): OpenAPIObject {
  const about = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Property Finance Service')
    .setDescription(INTRODUCTION)
    .setVersion('v1')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'The service that this document comes from')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'The accessToken of a sign-in, or an API key.',
    });
  for (const [name, description] of Object.entries(TAGS)) about.addTag(name, description);
  const document = SwaggerModule.createDocument(app, about.build(), OPTIONS);
  const problems: Route['problems'] = new Map();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of ['get', 'post', 'put', 'delete'] as const) {
      const operation = item[method];
      if (operation !== undefined) describeOperation({ path, method, operation, document, problems });
    }
  }
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, ...problemSchemas(problems.values()) },
    responses: Object.fromEntries([...problems].map(([name, slugs]) => [name, problemResponse(slugs)])),
    parameters: HEADER_PARAMETERS,
    headers: HEADERS,
  };
  return document;
}
