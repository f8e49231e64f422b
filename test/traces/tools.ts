import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Missing, progress } from '../../bench/command.js';
import type { Commands } from '../support/commands.js';

const ZIPKIN = { artifact: 'io.zipkin:zipkin-server:3.5.1:jar:exec', file: 'zipkin-server-3.5.1-exec.jar' };
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy';
const DEPLOYED = 'deploy/opentelemetry';

export interface Tools {
  readonly zipkin: string;
  /** What deploy/opentelemetry tells operators to put into NODE_OPTIONS. */
  readonly nodeOptions: string;
}

/** Zipkin from Maven Central, and deploy/opentelemetry as its README installs it, both outside of the project. */
export async function install(commands: Commands, cache: string): Promise<Tools> {
  for (const program of ['java', 'mvn'])
    await commands.run(program, ['-version'], { cwd: '.' }).catch(() => {
      throw new Missing(`${program} is not installed. On Debian: apt-get install default-jre-headless maven`);
    });
  mkdirSync(cache, { recursive: true });
  const zipkin = join(cache, ZIPKIN.file);
  if (!existsSync(zipkin)) {
    progress('downloading Zipkin');
    const options = [`-Dartifact=${ZIPKIN.artifact}`, `-DoutputDirectory=${cache}`];
    await commands.run('mvn', ['-q', '-B', COPY, ...options], { cwd: cache });
  }
  progress('installing OpenTelemetry');
  const folder = join(cache, 'opentelemetry');
  cpSync(DEPLOYED, folder, { recursive: true });
  await commands.run('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit'], { cwd: folder });
  return { zipkin, nodeOptions: `--import ${pathToFileURL(join(folder, 'tracing.mjs')).href}` };
}
