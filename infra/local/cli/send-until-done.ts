import type { AdminResponse } from '../service/admin-function.ts';
import type { AdminCommand } from './admin-arguments.ts';

/** Time, in milliseconds, to wait for a response: more than the timeout of the function. */
export const RESPONSE_MILLIS = 70_000;

/** Formats the counts in the response of a job that is not complete: `items 1200, left 48`. */
const countsIn = (response: object): string =>
  Object.entries(response)
    .flatMap(([name, value]) => (typeof value === 'number' ? [`${name} ${value}`] : []))
    .join(', ');

type Part = NonNullable<AdminResponse>;

/** Adds the response of a further part: counts are added, lists are joined, and the cursor of the last part is kept. */
const joinParts = ({ cursor: _, ...sum }: Part, part: Part): Part => {
  const joined: Record<string, unknown> = { ...sum };
  for (const [name, value] of Object.entries(part)) {
    const before = joined[name];
    if (typeof before === 'number' && typeof value === 'number') joined[name] = before + value;
    else joined[name] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
  }
  return joined;
};

/**
 * Sends a command until it is done. A long job responds before it is complete, with what is `left`, and the service stores the
 * progress; the command is then sent again. A response with a `cursor` is a part of the result: the command is sent again
 * with the cursor, and the parts are joined.
 * @param report called with each line about the progress.
 * @returns the last response of a job, or all parts of a result.
 */
export const sendUntilDone = async (
  command: AdminCommand,
  send: (command: AdminCommand) => Promise<AdminResponse>,
  report: (line: string) => void,
): Promise<AdminResponse> => {
  let response = await send(command);
  if (response?.left)
    report('To interrupt the job, press Ctrl+C. To continue it, from any terminal, send the command again.');
  const { restart: _, ...again } = command;
  while (response?.left) {
    report(`In progress: ${countsIn(response)}`);
    response = await send(again as AdminCommand);
  }
  while (response?.cursor) {
    const { cursor } = response;
    report(`In progress: ${countsIn(response)}. To continue after an interruption, add --cursor ${cursor}`);
    response = joinParts(response, (await send({ ...command, cursor })) ?? {});
  }
  return response;
};
