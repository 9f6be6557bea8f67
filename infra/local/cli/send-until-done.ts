import type { AdminResponse } from '../service/admin-function.ts';
import type { AdminCommand } from './admin-arguments.ts';

/** Formats the counts in the response of a job that is not complete: `items 1200, left 48`. */
const countsIn = (response: object): string =>
  Object.entries(response)
    .flatMap(([name, value]) => (typeof value === 'number' ? [`${name} ${value}`] : []))
    .join(', ');

/**
 * Sends a command. A long job responds before it is complete, with what is `left`; the command is then sent again. The
 * service stores the progress, so that the job can be continued after an interruption.
 * @param report called with each line about the progress.
 * @returns the last response.
 */
export const sendUntilDone = async (
  command: AdminCommand,
  send: (command: AdminCommand) => Promise<AdminResponse>,
  report: (line: string) => void,
): Promise<AdminResponse> => {
  let response = await send(command);
  if (!response?.left) return response;
  report('To interrupt the job, press Ctrl+C. To continue it, from any terminal, send the command again.');
  const { restart: _, ...again } = command;
  while (response?.left) {
    report(`In progress: ${countsIn(response)}`);
    response = await send(again as AdminCommand);
  }
  return response;
};
