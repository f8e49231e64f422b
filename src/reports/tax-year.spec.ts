import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '../config/env.js';
import { scheduleELines } from './tax-year.js';

describe('SCHEDULE_E_LINES', () => {
  it('changes the lines of the categories that it names, and of no other', () => {
    const file = join(process.env['TEST_FOLDER']!, 'lines.json');
    writeFileSync(file, '{"MORTGAGE": 12}');
    for (const setting of ['{"MORTGAGE": 12}', file])
      expect(scheduleELines(setting)).toEqual({ ...scheduleELines('{}'), MORTGAGE: 12 });
  });

  it.each([
    [
      '/no/such/file',
      'names a file that cannot be read (ENOENT): correct the name, or let ' +
        `uid ${process.getuid!()} read it and enter its folder`,
    ],
    ['{"MORTGAGE": 12', 'must be a JSON object such as {"MORTGAGE": 12}, or name a file with one'],
    ['package.json', 'has a name that is no category (number 1): docs/api.md lists them all'],
    ['{"TAXES": 16, "RENT": 3}', 'has a name that is no category (number 2): docs/api.md lists them all'],
    ['{"toString": 3}', 'has a name that is no category (number 1): docs/api.md lists them all'],
    ['{"TAXES": 4}', 'gives TAXES a line that the form does not have: it takes 3, 5 to 19, or null'],
    ['{"TAXES": "16"}', 'gives TAXES a line that the form does not have: it takes 3, 5 to 19, or null'],
    [
      '{"SECURITY_DEPOSIT": 3}',
      'gives SECURITY_DEPOSIT a line: a deposit is a liability, and takes null alone',
    ],
  ])('of %s is refused', (setting, fault) => {
    expect(() => scheduleELines(setting)).toThrow(new ConfigurationError([`SCHEDULE_E_LINES ${fault}`]));
  });

  it.each(['null', '[]', '3'])('of a file that holds %s is refused', (content) => {
    const file = join(process.env['TEST_FOLDER']!, 'schedule-e.json');
    writeFileSync(file, content);
    expect(() => scheduleELines(file)).toThrow('must be a JSON object such as {"MORTGAGE": 12}');
  });
});
