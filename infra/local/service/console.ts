import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { consolePaths } from '../../../shared/routes/console.ts';
import { buildConsole } from '../../build/console.ts';
import { messageFrom } from '../../command-line.ts';
import type { Assembly } from '../assembly/assembly.ts';
import type { Functions } from '../lambda/functions.ts';

interface ConsoleOptions {
  /** Called before the console is built. */
  readonly onStep: (step: string) => void;
  readonly signal: AbortSignal;
}

/** Returns the definition of the function that serves the web console; undefined if the console is turned off. */
export const findConsole = ({ api, functions }: Assembly) => {
  const route = api.routes.find(({ key }) => key === `GET ${consolePaths[0]}`);
  return functions.find(({ name }) => name === route?.functionName);
};

/**
 * Wraps the functions so that the files of the web console are built before its first request, in a process of their own:
 * no start of the service waits for them. They are copied from an earlier build of the same sources.
 */
export const buildConsoleOnUse = (
  assembly: Assembly,
  functions: Pick<Functions, 'invoke'>,
  options: ConsoleOptions,
): Pick<Functions, 'invoke'> => {
  const served = findConsole(assembly);
  if (served === undefined) return functions;
  const folder = join(served.directory, 'web');
  let built: Promise<void> | undefined;
  return {
    invoke: async (name, event, onHandling) => {
      if (name === served.name) {
        built ??= existsSync(folder) ? Promise.resolve() : build(folder, options);
        try {
          await built;
        } catch (error) {
          built = undefined;
          console.error(messageFrom(error));
          return { kind: 'failed', errorType: 'ConsoleBuildFailed', errorMessage: messageFrom(error), trace: [] };
        }
      }
      return functions.invoke(name, event, onHandling);
    },
  };
};

const build = async (folder: string, { onStep, signal }: ConsoleOptions): Promise<void> => {
  onStep('Preparing the web console for its first request');
  await buildConsole(folder, signal);
};
