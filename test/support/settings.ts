import { loadSettings, type Settings } from '../../src/config/env.js';

export const TEST_SECRET = 'a-secret-for-tests-only-0123456789abcdef';

/** Waits that no busy machine reaches: a test of one sets it lower. */
export const PATIENT = {
  ...{ DB_ACQUIRE_TIMEOUT: '30s', DB_STATEMENT_TIMEOUT: '30s', SHARE_TIMEOUT: '30s' },
  ...{ REQUEST_TIMEOUT: '30s', RESPONSE_TIMEOUT: '30s', PASSWORD_HASH_WAIT: '30s' },
};

/** The settings of the service under test, read as in production. */
export function testSettings(databaseUrl: string, env: Record<string, string> = {}): Settings {
  return loadSettings({
    ...{ HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'silent', SHUTDOWN_DELAY: '0s' },
    ...{ DB_URL: databaseUrl, DB_PASSWORD: 'unused', JWT_SECRET: TEST_SECRET },
    ...PATIENT,
    ...env,
  });
}
