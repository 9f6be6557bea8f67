import type { Readable, Writable } from 'node:stream';
import { apiRequest } from '../../shared/client/request.ts';
import type { Reply } from '../../shared/client/send.ts';
import type { Workspace } from '../../shared/client/types.ts';
import { type Api, openApi, type Target } from './api.ts';
import type { Context } from './context/context.ts';
import { explainNotFound, Failure, usageError } from './failure.ts';
import { canAsk, type Io } from './io.ts';
import { withoutControls } from './output/format.ts';

/** A workspace that an argument names, with its present revision. */
export interface FoundWorkspace {
  readonly id: string;
  readonly name: string;
  readonly organization: string;
  readonly resource: Workspace;
  /** Entity tag of the revision (EDIT-1). */
  readonly etag: string | undefined;
}

/** Everything that a running command works with. */
export interface Invocation {
  readonly io: Io;
  readonly api: Api;
  readonly context: Context;
  /** Whether the request is only shown (`--curl`). */
  readonly isShown: boolean;
  /** Whether a program reads the result (`--json`, `--csv`). */
  readonly isForProgram: boolean;
  /** Opens the API with another token or of another service, to sign in. */
  readonly connect: (target: Target) => Api;
  /** Returns the name of the organization. @throws Failure `usage` if nothing names it. */
  readonly organization: () => Promise<string>;
  /** Finds the workspace that an argument names: `NAME`, `ORGANIZATION/NAME`, an id, or `.` for that of the folder. */
  readonly workspace: (argument: string) => Promise<FoundWorkspace>;
  /** Reports something on standard error, unless a program reads the result. */
  readonly note: (sentence: string) => void;
  /**
   * Reports the failure of one item of several on standard error. The command goes on, and ends with `partial`.
   */
  readonly reportFailure: (error: unknown) => void;
  /** Prompts the user for a text, which is hidden if it is a secret. @throws Failure `usage` if nobody can answer. */
  readonly ask: (question: Question) => Promise<string>;
  /** Requires that the user types the name of what is deleted, or has set `--yes`. */
  readonly confirm: (deletion: Deletion) => Promise<void>;
}

interface Question {
  readonly message: string;
  readonly isSecret?: boolean;
  /** Alternative where nobody can answer, as a sentence. */
  readonly hint: string;
}

interface Deletion {
  /** Consequence, such as `Deletes the workspace network of acme.` */
  readonly sentence: string;
  /** Name that the user types. */
  readonly name: string;
  readonly yes: boolean;
}

/** An id of a workspace. A name of the same form is not found by it. */
const ID = /^ws-[1-9A-HJ-NP-Za-km-z]{16}$/;

const toFound = (organization: string, { document: { data }, etag }: Reply<{ readonly data: Workspace }>) => ({
  id: data.id,
  name: data.attributes.name,
  organization,
  resource: data,
  etag,
});

/** The choices of the user that hold for the whole command. */
export interface Choices {
  /** Whether a program reads the result, so that nothing is asked or reported next to it. */
  readonly isForProgram: boolean;
  readonly isShown: boolean;
  readonly reportFailure: (error: unknown) => void;
}

/** Opens what a command works with. */
export const openInvocation = (
  io: Io,
  context: Context,
  { isForProgram, isShown, reportFailure }: Choices,
): Invocation => {
  const note = (sentence: string): void => {
    if (!isForProgram) io.stderr.write(`${withoutControls(sentence)}\n`);
  };
  const api = openApi(io, context.service, { isShown, note });

  const organization = async (): Promise<string> => {
    const named = await context.organization();
    if (named !== undefined) return named;
    const { document } = await api.lookUp(apiRequest('get', '/api/v2/organizations', {}));
    const [first, second] = document.data;
    if (first === undefined) throw usageError('You belong to no organization.', 'Ask an owner to invite you.');
    if (second === undefined) return first.id;
    const names = document.data.map(({ id }) => id).join(', ');
    throw usageError(`Name one of your organizations: ${names}.`, 'Add --org NAME, or set HOLDFAST_ORG.');
  };

  const byName = async (org: string, name: string): Promise<FoundWorkspace> =>
    toFound(
      org,
      await explainNotFound(
        api.lookUp(
          apiRequest('get', '/api/v2/organizations/{organization_name}/workspaces/{name}', {
            path: { organization_name: org, name },
          }),
        ),
        `There is no workspace "${name}" in ${org}, or you may not see it.`,
      ),
    );

  const ask = async ({ message, isSecret = false, hint }: Question): Promise<string> => {
    if (!canAsk(io, isForProgram)) throw usageError(`Nobody can answer here: ${message}`, hint);
    io.progress('');
    const { text, password, isCancel } = await import('@clack/prompts');
    const streams = { input: io.stdin as Readable, output: io.stderr as Writable, signal: io.signal };
    const answer = isSecret ? await password({ message, ...streams }) : await text({ message, ...streams });
    if (isCancel(answer) || answer === undefined) throw new Failure('interrupted', 'Canceled. Nothing was changed.');
    return answer;
  };

  return {
    io,
    api,
    context,
    isShown,
    isForProgram,
    connect: (target) => openApi(io, async () => target, { isShown, note }),
    organization,
    workspace: async (argument) => {
      if (ID.test(argument)) {
        const reply = await explainNotFound(
          api.lookUp(apiRequest('get', '/api/v2/workspaces/{workspace_id}', { path: { workspace_id: argument } })),
          `There is no workspace ${argument}, or you may not see it.`,
        );
        return toFound(reply.document.data.relationships.organization.data.id, reply);
      }
      const [org, name, ...rest] = argument.split('/');
      if (rest.length > 0 || org === '' || name === '')
        throw usageError(`"${argument}" is not a workspace.`, 'Write NAME or ORGANIZATION/NAME.');
      if (name !== undefined) return byName(org ?? '', name);
      return byName(await organization(), argument === '.' ? await context.workspace() : argument);
    },
    note,
    reportFailure,
    ask,
    confirm: async ({ sentence, name, yes }) => {
      if (yes || isShown) return;
      const answer = await ask({ message: `${sentence} Type ${name} to confirm.`, hint: 'Add --yes.' });
      if (answer !== name) throw usageError(`"${answer}" is not ${name}. Nothing was changed.`);
    },
  };
};
