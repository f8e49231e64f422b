import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { HEADER_PARAMETERS, HEADERS } from './headers.js';
import { INTRODUCTION, TAGS } from './introduction.js';
import { describeOperation, type Route } from './operations.js';
import { problemResponse, problemSchemas } from './problems.js';

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
  const document = SwaggerModule.createDocument(app, about.build(), { autoTagControllers: false });
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
