import { expect, it } from 'vitest';
import type { AdminCommand } from '../../../infra/local/cli/admin-arguments.ts';
import { sendUntilDone } from '../../../infra/local/cli/send-until-done.ts';
import type { AdminResponse } from '../../../infra/local/service/admin-function.ts';

const follow = async (command: AdminCommand, ...responses: readonly object[]) => {
  const [sent, lines]: [AdminCommand[], string[]] = [[], []];
  const remaining = [...responses];
  const send = async (one: AdminCommand) => {
    sent.push(one);
    return remaining.shift() as AdminResponse;
  };
  return { response: await sendUntilDone(command, send, (line) => lines.push(line)), sent, lines };
};

it('sends a command once if its response leaves nothing to do', async () => {
  const command = { command: 'create-team', name: 'devs' };
  expect(await follow(command, { created: true })).toEqual({ response: { created: true }, sent: [command], lines: [] });
});

it('sends a job again until nothing is left, and reports its counts', async () => {
  const command = { command: 'check-table' };
  const done = { items: 30, findings: [], left: 0 };
  const { response, sent, lines } = await follow(
    command,
    { items: 10, findings: [], left: 2 },
    { items: 20, left: 1 },
    done,
  );
  expect(response).toBe(done);
  expect(sent).toEqual([command, command, command]);
  expect(lines).toEqual([
    'To interrupt the job, press Ctrl+C. To continue it, from any terminal, send the command again.',
    'In progress: items 10, left 2',
    'In progress: items 20, left 1',
  ]);
});

it('does not start a job again when it continues', async () => {
  const { sent } = await follow({ command: 'check-table', restart: true }, { left: 1 }, { left: 0 });
  expect(sent).toEqual([{ command: 'check-table', restart: true }, { command: 'check-table' }]);
});

it('follows the cursor of a response, and joins the parts of the result', async () => {
  const command = { command: 'export-history', organization: 'acme' };
  const { response, sent, lines } = await follow(
    command,
    { entries: 1_000, objects: ['a'], cursor: '2' },
    { entries: 1_000, objects: ['b'], cursor: '3' },
    { entries: 5, objects: ['c'] },
  );
  expect(response).toEqual({ entries: 2_005, objects: ['a', 'b', 'c'] });
  expect(sent).toEqual([command, { ...command, cursor: '2' }, { ...command, cursor: '3' }]);
  expect(lines).toEqual([
    'In progress: entries 1000. To continue after an interruption, add --cursor 2',
    'In progress: entries 2000. To continue after an interruption, add --cursor 3',
  ]);
});
