import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { consolePaths } from '../../../shared/routes/console.ts';
import { routeKey, routes } from '../../../shared/routes/index.ts';
import { buildCommandLine } from '../../build/cli.ts';
import { buildConsole } from '../../build/console.ts';
import { messageFrom } from '../../command-line.ts';
import type { Assembly } from '../assembly/assembly.ts';
import type { Functions } from '../lambda/functions.ts';

interface BuildOptions {
  /** Called before something is built. */
  readonly onStep: (step: string) => void;
  readonly signal: AbortSignal;
}

/** Files that a function serves from its folder. */
interface ServedFiles {
  /** Name in a message, such as `web console`. */
  readonly title: string;
  /** Keys of the routes that serve them. */
  readonly routeKeys: readonly string[];
  /** Name of their folder in the folder of the function. */
  readonly folder: string;
  readonly build: (folder: string, signal: AbortSignal) => Promise<void>;
}

const webConsole: ServedFiles = {
  title: 'web console',
  routeKeys: consolePaths.map((path) => `GET ${path}`),
  folder: 'web',
  build: buildConsole,
};

const commandLine: ServedFiles = {
  title: 'command line',
  routeKeys: [routeKey(routes['documentation.command-line']), routeKey(routes['documentation.command-line-checksum'])],
  folder: 'cli',
  build: buildCommandLine,
};

/** Returns the definition of the function that serves files; undefined if none does. */
const findServing = ({ api, functions }: Assembly, { routeKeys }: ServedFiles) => {
  const route = api.routes.find(({ key }) => key === routeKeys[0]);
  return functions.find(({ name }) => name === route?.functionName);
};

/** Returns the definition of the function that serves the web console; undefined if the console is turned off. */
export const findConsole = (assembly: Assembly) => findServing(assembly, webConsole);

/**
 * Wraps the functions so that the files of the web console and the command line are built before the first request for
 * them, in processes of their own: no start of the service waits for them. They are copied from an earlier build of the
 * same sources.
 */
export const buildOnUse = (
  assembly: Assembly,
  functions: Pick<Functions, 'invoke'>,
  { onStep, signal }: BuildOptions,
): Pick<Functions, 'invoke'> => {
  const served = [webConsole, commandLine].flatMap((files) => {
    const serving = findServing(assembly, files);
    if (serving === undefined) return [];
    const folder = join(serving.directory, files.folder);
    let built: Promise<void> | undefined;
    const build = async (): Promise<void> => {
      if (existsSync(folder)) return;
      onStep(`Preparing the ${files.title} for its first request`);
      await files.build(folder, signal);
    };
    const buildOnce = async (): Promise<void> => {
      built ??= build();
      try {
        await built;
      } catch (error) {
        built = undefined;
        throw error;
      }
    };
    return [{ name: serving.name, routeKeys: files.routeKeys, buildOnce }];
  });
  /** Returns the build that an event needs. */
  const findBuild = (name: string, event: string): (() => Promise<void>) | undefined => {
    // Events of other functions are not parsed, because some of them have several megabytes.
    const candidates = served.filter((one) => one.name === name);
    if (candidates.length === 0) return undefined;
    const { routeKey: key } = JSON.parse(event) as { readonly routeKey: string };
    return candidates.find(({ routeKeys }) => routeKeys.includes(key))?.buildOnce;
  };
  return {
    invoke: async (name, event, onHandling) => {
      try {
        await findBuild(name, event)?.();
      } catch (error) {
        console.error(messageFrom(error));
        return { kind: 'failed', errorType: 'BuildFailed', errorMessage: messageFrom(error), trace: [] };
      }
      return functions.invoke(name, event, onHandling);
    },
  };
};
