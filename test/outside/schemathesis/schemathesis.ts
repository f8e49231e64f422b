import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Criterion } from '../../faults/protocol.js';
import { criterion } from '../../faults/support/criteria.js';
import { count } from '../../faults/support/figures.js';
import type { Rig } from '../../faults/support/rig.js';
import { Program } from '../../support/program.js';

const ROOT = join(import.meta.dirname, '../../../..');
const CONFIGURATION = join(ROOT, 'test/outside/schemathesis/schemathesis.toml');
const HOOKS = join(ROOT, 'test/outside/schemathesis/hooks.py');

export const REQUIREMENTS = join(ROOT, 'test/outside/schemathesis/requirements.txt');
export const CACHE = join(ROOT, 'node_modules/.cache/schemathesis');

/** What the runs of all accounts have in common. */
export interface Runs {
  readonly python: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly url: string;
  readonly accountsFile: string;
  readonly examples: number;
  readonly seed: number;
  /** Where the reports go. */
  readonly folder: string;
}

/** What is read of Schemathesis's own report. */
interface Report {
  readonly running_time: number;
  readonly complete: boolean;
  readonly operations: { readonly total: number; readonly tested: number };
  readonly test_cases: { readonly generated: number; readonly errored: number };
  readonly failures: readonly { readonly title: string; readonly count: number }[];
}

/** Runs it as one of the accounts. What it has to say goes to the terminal. */
export async function runSchemathesis(rig: Rig, account: string, runs: Runs): Promise<Criterion[]> {
  const folder = join(runs.folder, account);
  mkdirSync(folder, { recursive: true });
  const report = join(folder, 'report.json');
  rmSync(report, { force: true }); // of an earlier run
  const { exited } = new Program(rig, [runs.python, ...argumentsOf(account, folder, report, runs)], {
    cwd: rig.folder, // where it finds no other configuration
    stdio: ['ignore', 'inherit', 'inherit'],
    signals: ['SIGTERM'],
    env: { ...runs.environment, HOOKS, ACCOUNTS: runs.accountsFile },
  });
  const status = await exited;
  if (!existsSync(report))
    throw new Error(`Schemathesis has ended with ${String(status)}, and without a report`);
  return verdict(`as ${account}`, status, JSON.parse(readFileSync(report, 'utf8')) as Report);
}

function argumentsOf(account: string, folder: string, report: string, runs: Runs): string[] {
  const { url, examples, seed } = runs;
  const run = ['-m', 'schemathesis.cli', '--config-file', CONFIGURATION, 'run', join(ROOT, 'openapi.json')];
  const target = ['--url', url, '--auth-wfc-user', account];
  const chance = ['--max-examples', String(examples), '--seed', String(seed)];
  const reports = ['--report-json-path', report, '--report-junit-path', join(folder, 'junit.xml')];
  return [...run, ...target, ...chance, ...reports];
}

function verdict(who: string, status: unknown, report: Report): Criterion[] {
  const { operations, test_cases: cases, failures } = report;
  const found = failures.map(({ title, count: times }) => `${title}: ${times}`).join('; ');
  return [
    criterion(
      `${who}: every operation is tested`,
      report.complete && operations.tested === operations.total,
      `${operations.tested} of ${operations.total}, ${count(cases.generated)} cases in ${report.running_time.toFixed(0)} s`,
    ),
    criterion(
      `${who}: no finding`,
      status === 0 && failures.length === 0,
      found || (status === 0 ? 'none' : `exit status ${String(status)}`),
    ),
    criterion(`${who}: every case can be sent`, cases.errored === 0, `${cases.errored} cannot`),
  ];
}
