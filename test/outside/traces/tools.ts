import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { progress } from '../../../bench/command.js';
import type { Commands } from '../../support/commands.js';

const ZIPKIN = { artifact: 'io.zipkin:zipkin-server:3.5.1:jar:exec', file: 'zipkin-server-3.5.1-exec.jar' };
const DEPLOYED = 'deploy/opentelemetry';

export interface Tools {
  readonly zipkin: string;
  /** What deploy/opentelemetry tells operators to put into NODE_OPTIONS. */
  readonly nodeOptions: string;
}

/** Zipkin from Maven Central, and deploy/opentelemetry as its README installs it, both outside of the project. */
export async function install(commands: Commands, cache: string): Promise<Tools> {
  const needs = ['java', 'mvn'].map((program) => [program, '-version'] as const);
  await commands.require(needs, 'On Debian: apt-get install default-jre-headless maven');
  const zipkin = join(cache, ZIPKIN.file);
  if (!existsSync(zipkin)) {
    progress('downloading Zipkin');
    await commands.fromMaven(ZIPKIN.artifact, cache);
  }
  progress('installing OpenTelemetry');
  const folder = join(cache, 'opentelemetry');
  cpSync(DEPLOYED, folder, { recursive: true });
  await commands.run('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit'], { cwd: folder });
  return { zipkin, nodeOptions: `--import ${pathToFileURL(join(folder, 'tracing.mjs')).href}` };
}
