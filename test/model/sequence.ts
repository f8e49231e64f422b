import { parse } from 'lossless-json';
import { applyChange } from './database-changes.js';
import type { Command } from './commands.js';
import type { Connection } from './connection.js';
import { type JsonObject } from './difference.js';
import { mismatch } from './mismatch.js';
import { predict } from './oracle.js';
import type { Answered, Call, Prediction } from './outcomes.js';
import type { Fixture } from './fixture.js';
import type { World } from './world.js';

/** The service answered something else than the contract says. */
export class Contradiction extends Error {}

/** What was sent and answered, in the order in which it was. */
class Transcript {
  readonly #lines: string[] = [];

  note(line: string): void {
    this.#lines.push(line);
  }

  get text(): string {
    return this.#lines.map((line, index) => `${index + 1}. ${line}`).join('\n');
  }
}

/** Sends the calls one after the other, each predicted from all before. Throws {@link Contradiction}. */
export async function runSequence(
  fixture: Fixture,
  connection: Connection,
  commands: readonly Command[],
  signal: AbortSignal,
): Promise<{ calls: number }> {
  const world = await fixture.newWorld();
  const transcript = new Transcript();
  let calls = 0;
  for (const command of commands) {
    if (signal.aborted) break;
    try {
      if (command.op === 'setRole' || command.op === 'setColumns') {
        transcript.note(JSON.stringify(command));
        await applyChange(world, command, fixture.sql);
      } else {
        calls++;
        await step(world, fixture, connection, predict(world, command), transcript);
      }
    } catch (error) {
      connection.close();
      throw new Contradiction(`${(error as Error).message}\n\n${transcript.text}\n`, { cause: error });
    }
  }
  return { calls };
}

async function step(
  world: World,
  fixture: Fixture,
  connection: Connection,
  { call, outcomes }: Prediction,
  transcript: Transcript,
): Promise<void> {
  const sent = Date.now();
  transcript.note(told(call, world));
  const answer = await connection.send(call);
  const received = Date.now();
  const path = call.target.split('?')[0]!;
  const reasons = outcomes.map((outcome) => mismatch(outcome, answer, path));
  const outcome = outcomes[reasons.indexOf(undefined)];
  if (outcome === undefined) throw new Error(reasons.join('\nor '));
  const body = outcome.body === undefined ? {} : (parse(answer.text) as JsonObject);
  const answered: Answered = { answer, body, sent, received };
  await outcome.settle?.(answered, fixture.sql);
}

/** A call as one would write it down, with whose token it has. */
function told({ method, target, token, headers = {}, body }: Call, world: World): string {
  const lines = Object.entries(headers).map(([name, value]) => ` [${name}: ${value}]`);
  return `${world.nameOf(token)}: ${method} ${target}${lines.join('')} ${body ?? ''}`;
}
