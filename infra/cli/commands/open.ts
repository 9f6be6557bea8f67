import { spawn } from 'node:child_process';
import { apiRequest } from '../../../shared/client/request.ts';
import { command, type Group } from '../command.ts';
import type { Address } from '../context/service.ts';
import { Failure } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import type { Io } from '../io.ts';
import { defineView } from '../output/view.ts';
import { flag, optionalArgument } from '../parameters.ts';
import { workspaceArgument } from './workspace-rows.ts';

/** Returns the program that opens a URL in the browser, or undefined on a computer without a screen. */
const findOpener = ({ env }: Io): readonly [string, ...string[]] | undefined => {
  if (process.platform === 'darwin') return ['open'];
  // Without a shell, which would interpret characters of the URL.
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open'] : undefined;
};

/** Opens a URL in the browser. @returns whether a program was started. */
const openBrowser = async (io: Io, url: string): Promise<boolean> => {
  const opener = findOpener(io);
  if (opener === undefined) return false;
  const [program, ...args] = opener;
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { env: { ...io.env }, stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
};

/** Requires that the service serves the console. @throws Failure `notFound` if it is turned off. */
const requireConsole = async ({ io }: Invocation, { host, origin }: Address): Promise<void> => {
  const response = await io
    .fetch(`${origin}/app`, { headers: { accept: 'text/html' }, signal: io.signal })
    .catch(() => undefined);
  io.signal.throwIfAborted();
  if (response?.status === 404) throw new Failure('notFound', `The console of ${host} is turned off.`);
};

/** Returns the path of the page of a workspace, or of the organization. */
const findPath = async (invocation: Invocation, argument: string | undefined): Promise<string> => {
  if (argument === undefined) {
    const organization = await invocation.context.organization();
    return organization === undefined ? '/app' : `/app/${encodeURIComponent(organization)}`;
  }
  const { id } = await invocation.workspace(argument);
  const { document } = await invocation.api.send(
    apiRequest('get', '/api/v2/workspaces/{workspace_id}', { path: { workspace_id: id } }),
  );
  return document.data.links['self-html'];
};

/** Pages of the web console. */
export const openCommands: Group = {
  title: 'Web console',
  commands: [
    command({
      name: 'open',
      summary: 'Open the page of a workspace in the web console',
      description:
        'Without WORKSPACE, it is the page of the organization. Prints the address, and opens a browser on a terminal.',
      arguments: { workspace: optionalArgument(workspaceArgument.summary, workspaceArgument) },
      flags: { print: flag('Print the address only.') },
      routes: ['workspaces.show-by-name', 'workspaces.show'],
      result: { kind: 'text', view: defineView(['url']), field: 'url' },
      examples: ['open network', 'open . --print'],
      errors: { notFound: 'There is no such workspace, or the console is turned off.' },
      run: async (invocation, { workspace }, { print }) => {
        const { io, context, note } = invocation;
        const address = await context.address();
        const path = await findPath(invocation, workspace);
        await requireConsole(invocation, address);
        const url = new URL(path, address.origin);
        if (url.origin !== address.origin) throw new Failure('failed', 'The page is one of another service.');
        if (!print && io.stdout.isTTY === true && !(await openBrowser(io, url.href))) note('There is no browser.');
        return { url: url.href };
      },
    }),
  ],
};
