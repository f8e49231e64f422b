import { PassThrough } from 'node:stream';
import { Interrupted } from './failures.js';
import { ask } from './io.js';

describe('a question', () => {
  const asked = async (keys: string, hidden: boolean): Promise<{ answer: string; shown: string }> => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const answer = ask(input, output, 'Password: ', { hidden });
    input.write(keys);
    return { answer: await answer, shown: String(output.read()) };
  };

  it('is answered by a line, of which a hidden one shows nothing', async () => {
    const { answer, shown } = await asked('secrit\u007f\u007fet pässword\r', true);
    expect(answer).toBe('secret pässword');
    expect(shown).toBe('Password: \n');
  });

  it('shows what is typed otherwise', async () => {
    const { answer, shown } = await asked('yes\r', false);
    expect(answer).toBe('yes');
    expect(shown).toMatch(/^Password: yes/);
  });

  it('is given up when it is stopped', async () => {
    const controller = new AbortController();
    const answer = ask(new PassThrough(), new PassThrough(), 'Go on? ', { stop: controller.signal });
    controller.abort();
    await expect(answer).rejects.toThrow(Interrupted);
  });

  it.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('is given up with %s', async (_, key) => {
    await expect(asked(key, true)).rejects.toThrow(Interrupted);
  });
});
