import { defineConfig } from '@playwright/test';

export default defineConfig({
  testMatch: '*.pw.ts',
  outputDir: '../../../node_modules/.cache/playwright',
  timeout: 90_000,
  expect: { timeout: 30_000 }, // a sign-in takes seconds on a busy machine
  workers: 1, // on one database
  reporter: 'list',
  use: {
    baseURL: process.env['SERVICE_URL'],
    viewport: { width: 1280, height: 960 },
    launchOptions: {
      executablePath: process.env['CHROMIUM_PATH'],
      chromiumSandbox: process.getuid?.() !== 0, // root has none
    },
  },
});
