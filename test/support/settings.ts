import { loadSettings, type Settings } from '../../src/config/env.js';

export const TEST_SECRET = 'a-secret-for-tests-only-0123456789abcdef';

/** The settings of the service under test, read as in production. */
export function testSettings(databaseUrl: string, env: Record<string, string> = {}): Settings {
  return loadSettings({
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'silent',
    SHUTDOWN_DELAY: '0s',
    JWT_SECRET: TEST_SECRET,
    DB_URL: databaseUrl,
    DB_PASSWORD: 'unused',
    ...env,
  });
}
