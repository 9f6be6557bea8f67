import { stat } from 'node:fs/promises';
import { showOrganization } from '../../../shared/client/organizations.ts';
import { explainNotFound, usageError } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import { FILES, type ImportDescription, type ImportFolder, openFolder, withFolder } from './folder.ts';
import { readSecrets, type Secrets } from './secrets.ts';
import type { Source, WorkspaceFilter } from './source.ts';
import { openSource } from './sources/index.ts';
import { openTarget } from './target.ts';
import { collectIds, collectNames, type KnownIds, type Traversal } from './traverse.ts';

/** An import whose source and target are open. */
export interface OpenImport extends Traversal {
  readonly invocation: Invocation;
  readonly source: Source;
  readonly secrets: Secrets;
  readonly ids: KnownIds;
}

/** Converts patterns to a filter of names, in which `*` stands for any characters. No pattern includes all. */
export const toFilter = (patterns: readonly string[]): WorkspaceFilter => {
  if (patterns.length === 0) return () => true;
  const expressions = patterns.map(
    (pattern) =>
      new RegExp(
        `^${pattern
          .split('*')
          .map((text) => text.replaceAll(/[^A-Za-z0-9]/g, '\\$&'))
          .join('.*')}$`,
      ),
  );
  return (name) => expressions.some((expression) => expression.test(name));
};

/** Requires that the target of an import exists. @throws Failure `usage` if the command names another service. */
export const requireTarget = async ({ api, context }: Invocation, { target }: ImportDescription): Promise<void> => {
  const { origin, source } = await context.service();
  if (origin !== target.url) {
    throw usageError(
      `This import goes to ${target.url}, and ${source} names ${origin}.`,
      `Add --url ${target.url}, or set HOLDFAST_URL.`,
    );
  }
  await explainNotFound(
    api.send(showOrganization(target.organization)),
    `There is no organization "${target.organization}", or you may not see it.`,
  );
};

/** @throws Failure `usage` without an inventory: a crash can have come while a new one took its place. */
const requireInventory = async ({ name, path, description: { source } }: ImportFolder): Promise<void> => {
  if ((await stat(path(FILES.inventory, 'workspaces.jsonl')).catch(() => undefined)) !== undefined) return;
  throw usageError(`${name} has no inventory.`, `Run "holdfast import init ${source} ${name}" again.`);
};

/** Opens the source that a description names. */
export const openDescribedSource = (invocation: Invocation, description: ImportDescription): Promise<Source> =>
  openSource(invocation, description);

/**
 * Runs a phase of an import with its source and its target.
 * @param name folder of the import.
 */
export const withImport = async <T>(
  invocation: Invocation,
  name: string,
  run: (open: OpenImport) => Promise<T>,
): Promise<T> => {
  const { io, api } = invocation;
  const folder = await openFolder(io, name);
  await requireInventory(folder);
  await requireTarget(invocation, folder.description);
  return withFolder(folder, async () => {
    const source = await openDescribedSource(invocation, folder.description);
    return run(await reopen(invocation, folder, source, api));
  });
};

/** Reads the target again, with everything that is known of it. */
export const reopen = async (
  invocation: Invocation,
  folder: ImportFolder,
  source: Source,
  api = invocation.api,
): Promise<OpenImport> => {
  const { io } = invocation;
  const { organization } = folder.description.target;
  const secrets = await readSecrets(folder);
  const target = await openTarget(io, api, organization);
  const ids = collectIds(target);
  const exists = await collectNames(folder, ids, secrets);
  return {
    ...{ invocation, io, folder, source, target, secrets, ids },
    knowledge: { organization, secrets, exists, mayWrite: target.mayWrite },
  };
};

/** Limits what is known to what the target has by now. */
export const withPresent = <O extends OpenImport>(open: O): O => ({
  ...open,
  knowledge: { ...open.knowledge, exists: (type, name) => open.ids.get(type, name) !== undefined },
});

/** Names of the files of an import that its checksums cover. Secrets are not among them. */
export const publicFiles: readonly string[] = [
  FILES.description,
  FILES.plan,
  FILES.items,
  FILES.journal,
  FILES.proof,
  FILES.report,
];
