import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WorkspaceGrant } from '../../../shared/domain/directory/grants.ts';
import { invalid } from '../../../shared/domain/errors.ts';
import { changeAccess } from '../../../shared/domain/transitions/relationships/change-team-access.ts';
import type { RequestContext } from '../../../shared/domain/transitions/transition.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import { NoResponse } from '../../../shared/store/dynamodb/errors.ts';
import { openWorkspaces } from '../../../shared/store/workspaces/workspace-store.ts';
import { openAdmin } from '../../support/api/admin.ts';
import { newWorkspace } from '../../support/api/new-workspace.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';

/** Team access grants are applied once, even when responses are lost. */
let engine: TestEngine;
let opened: ReturnType<typeof openAdmin>;
let team: string;
let whose: { organization: string; project: string };

beforeAll(async () => {
  engine = await startEngine();
  opened = openAdmin(engine.database);
  const { organization } = await opened.admin('create-organization', { name: 'acme', email: 'ada@example.com' });
  whose = { organization: 'acme', project: organization.defaultProject };
  ({ id: team } = (await opened.admin('create-team', { organization: 'acme', name: 'devs' }))['team']);
});
afterAll(async () => {
  expect((await opened.check()).findings).toEqual([]);
  await engine.stop();
});

const requestOf = (id: string): RequestContext => ({ id, principal: { kind: 'user', id: 'user-1', name: 'ada' } });

/** Grants access to a team that has none. */
const giveOnce = (request: RequestContext, grant: WorkspaceGrant) =>
  changeAccess(request, team, (before) => {
    if (before !== undefined) throw invalid('team', 'Team has already been taken');
    return grant;
  });

/** A database whose first transaction is optionally applied, loses its response, and is followed by another change. */
const lossy = (isApplied: boolean, meanwhile: () => Promise<unknown> = async () => undefined): Database => {
  let isLost = false;
  return {
    ...engine.database,
    transact: async (writes, remaining) => {
      if (isLost) return engine.database.transact(writes, remaining);
      isLost = true;
      if (isApplied) await engine.database.transact(writes, remaining);
      await meanwhile();
      throw new NoResponse('lost');
    },
  };
};

const aWorkspace = async () => {
  const workspace = newWorkspace(whose, { name: `w-${Math.random().toString(36).slice(2)}` });
  await opened.workspaces.create(workspace, 4);
  return workspace;
};

describe('a team access grant whose response is lost', () => {
  test.each([true, false])('is applied once (first write arrived: %s)', async (isApplied) => {
    const workspace = await aWorkspace();
    const request = requestOf('r1');
    const granted = await openWorkspaces(lossy(isApplied), Date.now).apply(
      workspace,
      giveOnce(request, 'plan'),
      request,
    );
    expect(granted.access).toEqual({ [team]: 'plan' });
    expect((await opened.workspaces.find(workspace.id))?.sequence).toBe(2);
  });

  test('is not reported as applied when a different grant was applied', async () => {
    const workspace = await aWorkspace();
    const other = requestOf('r2');
    const meanwhile = () => opened.workspaces.apply(workspace, giveOnce(other, 'plan'), other);
    const request = requestOf('r1');
    const granted = openWorkspaces(lossy(false, meanwhile), Date.now).apply(
      workspace,
      giveOnce(request, 'plan'),
      request,
    );
    await expect(granted).rejects.toMatchObject({ code: 'invalid-attribute' });
  });
});
