import { loadSettings, type Settings } from '../../src/config/env.js';

export const TEST_SECRET = 'a-secret-for-tests-only-0123456789abcdef';

/** Waits that no busy machine reaches: a test of one sets it lower. */
export const PATIENT = {
  ...{ DB_ACQUIRE_TIMEOUT: '30s', DB_STATEMENT_TIMEOUT: '30s', SHARE_TIMEOUT: '30s' },
  ...{ REQUEST_TIMEOUT: '30s', RESPONSE_TIMEOUT: '30s', PASSWORD_HASH_WAIT: '30s' },
};

/** The environment of the service and of its commands, for a database. */
export function environmentFor(databaseUrl: string): Record<string, string> {
  return {
    ...PATIENT,
    HOST: '127.0.0.1',
    PORT: '0',
    DB_URL: databaseUrl,
    DB_PASSWORD: 'unused',
    JWT_SECRET: TEST_SECRET,
  };
}

/** The settings of the service under test, read as in production. */
export function testSettings(databaseUrl: string, env: Record<string, string> = {}): Settings {
  const quick = { LOG_LEVEL: 'silent', SHUTDOWN_DELAY: '0s' };
  return loadSettings({ ...environmentFor(databaseUrl), ...quick, ...env });
}
