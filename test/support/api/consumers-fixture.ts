import { expect } from 'vitest';
import type { RequestContext } from '../../../shared/domain/transitions/transition.ts';
import type { Sizing } from '../../../shared/domain/workspace/consumer-set.ts';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { openCleanup } from '../../../shared/store/cleanup/cleanup-queue.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import { type Item, keys, prefixes } from '../../../shared/store/dynamodb/keys.ts';
import { openConsumers } from '../../../shared/store/remote-state-consumers/consumer-store.ts';
import { openWorkspaces } from '../../../shared/store/workspaces/workspace-store.ts';
import { startEngine } from '../engine/engine.ts';
import { openAdmin } from './admin.ts';
import { newWorkspace } from './new-workspace.ts';
import { noBlobs } from './no-blob-storage.ts';

export const HOUR = 3_600_000;

export const createRequestContext = (): RequestContext => ({
  id: base58(12),
  principal: { kind: 'user', id: 'user-x', name: 'x' },
});
export const createWorkspaceIds = (count: number): string[] => Array.from({ length: count }, () => `ws-${base58(16)}`);

/** Creates a table for tests of remote state consumers. */
export const createConsumersFixture = async () => {
  const engine = await startEngine();
  const { admin, directory, check, workspaces } = openAdmin(engine.database);
  const organization = 'acme';
  const made = await admin('create-organization', { name: organization, email: 'ada@example.com' });
  const project = String(made['organization'].defaultProject);

  /** Opens the consumer set of a workspace, by default with the database of the fixture. */
  const consumersOf = ({ id }: Pick<Workspace, 'id'>, database: Database = engine.database, sizing?: Sizing) => {
    const own = openWorkspaces(database, Date.now);
    const consumers = openConsumers(database, own, Date.now, sizing);
    const image = async () => (await own.find(id)) as Workspace;
    return {
      image,
      add: async (ids: readonly string[]) => consumers.add(await image(), ids, createRequestContext()),
      remove: async (ids: readonly string[]) => consumers.remove(await image(), ids, createRequestContext()),
      replace: async (ids: readonly string[]) => consumers.replace(await image(), ids, createRequestContext()),
      read: async () => (await consumers.find(await image())).toSorted(),
    };
  };

  const chunksOf = ({ id }: Pick<Workspace, 'id'>): Promise<Item[]> =>
    engine.database.query({ partition: keys.workspace(id).pk, beginsWith: prefixes.consumers, consistent: true });

  /** Runs the cleanup of everything that is due after a delay in milliseconds. */
  const cleanup = async (after: number): Promise<void> => {
    const { due, finish } = openCleanup(
      engine.database,
      { finish: async () => {} },
      { updateWorkspaces: async () => {} },
      noBlobs,
    );
    for await (const key of due(Date.now() + after)) await finish(key);
  };

  return {
    engine,
    workspaces,
    consumersOf,
    chunksOf,
    cleanup,

    aWorkspace: async (attributes: object = {}): Promise<Workspace> => {
      const workspace = newWorkspace({ organization, project }, { name: `w-${base58(8)}`, ...attributes });
      await workspaces.create(workspace, 4);
      return workspace;
    },

    /** Reads the organization. */
    organization: () => directory.organizations.get(organization),

    expectHealthy: async (): Promise<void> => {
      expect((await check()).findings).toEqual([]);
    },

    /** Asserts that the cleanup leaves only the chunks of the current generation. */
    expectCleanedUp: async (workspace: Workspace): Promise<void> => {
      await cleanup(HOUR);
      const { consumers } = await consumersOf(workspace).image();
      const left = await chunksOf(workspace);
      const inForce = Array.from({ length: consumers?.chunks ?? 0 }, () => consumers?.generation);
      expect(left.map(({ sk }) => String(sk).split('#')[1])).toEqual(inForce);
      for (const chunk of left) expect(chunk).not.toHaveProperty('d');
    },
  };
};

export type ConsumersFixture = Awaited<ReturnType<typeof createConsumersFixture>>;
