import { setImmediate as nextIteration } from 'node:timers/promises';
import { Newcomers } from './turns.js';

let ran: number[];
let newcomers: Newcomers;
const step = (number: number): void => newcomers.step(() => ran.push(number));

beforeEach(() => {
  ran = [];
  newcomers = new Newcomers();
});

it('of a crowd of newcomers the latest and the oldest have a step in an iteration of the event loop', async () => {
  for (let number = 1; number <= 5; number++) step(number);
  for (const order of [[], [5, 1], [5, 1, 4, 2], [5, 1, 4, 2, 3]]) {
    await nextIteration();
    expect(ran).toEqual(order);
  }
});

it('while more come in each iteration, newcomers have steps in one of sixteen', async () => {
  step(0);
  for (let number = 1; number <= 32; number++) {
    step(number);
    await nextIteration();
  }
  expect(ran).toEqual([16, 0, 32, 1]);
});
