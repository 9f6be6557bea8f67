import type { Workspace } from '../../../../../shared/client/types.ts';
import { type Progress, runAll } from '../../lib/run-all.ts';

/** A workspace whose state another one may read, and with whom it shares its state. */
export interface ReadableWorkspace {
  readonly workspace: Workspace;
  readonly sharedWith: 'organization' | 'project' | 'consumers';
}

/** Result of a search, complete or up to where it was stopped. */
export interface ReadableWorkspaces {
  /** By name. */
  readonly found: readonly ReadableWorkspace[];
  /** Workspaces whose consumers could not be read. */
  readonly unreadable: number;
}

interface SearchOptions {
  /** Reads a page of the workspaces of the organization; the first page is 1. */
  readonly readPage: (page: number) => Promise<{ readonly data: readonly Workspace[]; readonly pages: number }>;
  /** Returns whether the workspace is a configured consumer of another one. */
  readonly isConsumerOf: (id: string) => Promise<boolean>;
  readonly isStopped: () => boolean;
  /** The phases are the pages of the list, then the workspaces whose consumers are read. */
  readonly onProgress: (phase: 'list' | 'consumers', progress: Progress) => void;
}

const projectOf = ({ relationships }: Workspace): string => relationships.project.data.id;

/** Returns with whom a workspace shares its state by a setting; `consumers` if only its consumers may read it (WS-49). */
const sharingOf = ({ attributes }: Workspace): ReadableWorkspace['sharedWith'] => {
  if (attributes['global-remote-state']) return 'organization';
  return attributes['project-remote-state'] ? 'project' : 'consumers';
};

/**
 * Finds the workspaces whose state the runs of a workspace may read (CONS-9). Settings that share a state are part of the
 * list; the consumers of all other workspaces are read, several at a time.
 * @throws if the list cannot be read.
 */
export const findReadableWorkspaces = async (
  subject: Workspace,
  { readPage, isConsumerOf, isStopped, onProgress }: SearchOptions,
): Promise<ReadableWorkspaces> => {
  const others = new Map<string, Workspace>();
  const add = (data: readonly Workspace[]) => {
    for (const workspace of data) if (workspace.id !== subject.id) others.set(workspace.id, workspace);
  };
  onProgress('list', { done: 0, total: 1 });
  const first = await readPage(1);
  add(first.data);
  const further = Array.from({ length: Math.max(0, first.pages - 1) }, (_, index) => index + 2);
  const readFurther = async (page: number) => add((await readPage(page)).data);
  await runAll(further, readFurther, isStopped, ({ done }) =>
    onProgress('list', { done: done + 1, total: first.pages }),
  );

  const found: ReadableWorkspace[] = [];
  const candidates: Workspace[] = [];
  for (const workspace of others.values()) {
    const sharedWith = sharingOf(workspace);
    if (sharedWith === 'consumers') candidates.push(workspace);
    else if (sharedWith === 'organization' || projectOf(workspace) === projectOf(subject))
      found.push({ workspace, sharedWith });
  }
  let unreadable = 0;
  const check = async (workspace: Workspace) => {
    try {
      if (await isConsumerOf(workspace.id)) found.push({ workspace, sharedWith: 'consumers' });
    } catch {
      unreadable += 1;
    }
  };
  await runAll(candidates, check, isStopped, (progress) => onProgress('consumers', progress));
  found.sort((a, b) => a.workspace.attributes.name.localeCompare(b.workspace.attributes.name));
  return { found, unreadable };
};
