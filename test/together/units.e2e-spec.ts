import { together } from '../support/together.js';

together(
  'src/actuator/metrics/utilisation.spec',
  'src/auth/passwords.spec',
  'src/auth/tokens.spec',
  'src/auth/verified-tokens.spec',
  'src/config/logger.spec',
  'src/config/placeholders.spec',
  'src/database/batch.spec',
  'src/database/errors.spec',
  'src/http/fields/instant.spec',
  'src/http/fields/values.spec',
  'src/http/json/decimal.spec',
  'src/http/json/json-parser.spec',
  'src/http/edge/semaphore.spec',
  'src/metrics/timer.spec',
  'src/transfers/paced-stream.spec',
  'test/config.spec',
  'test/documents.spec',
);
