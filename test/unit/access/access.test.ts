import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { effectiveRights } from '../../../shared/access/rights.ts';
import { decide, type WorkspaceAction, workspacePermissions } from '../../../shared/access/workspace-policy.ts';
import {
  type CustomProjectAccess,
  flags,
  type ProjectGrant,
  parts,
  projectFlags,
  projectLevels,
  type TeamPermissions,
  teamPermissions,
  type WorkspaceGrant,
  workspaceLevels,
} from '../../../shared/domain/directory/grants.ts';
import type { Caller, Organization, Principal } from '../../../shared/domain/directory/records.ts';
import { bounded } from '../../support/setup/run-budget.ts';

/** Properties of access decisions for any grants. The permission matrix tests the decisions one by one. */

const actions: readonly WorkspaceAction[] = [
  'workspace.read',
  'workspace.lock',
  'workspace.unlock',
  'workspace.force-unlock',
  'workspace.update',
  'workspace.move',
  'workspace.create',
  'workspace.safe-delete',
  'workspace.force-delete',
  'run.read',
  'run.queue',
  'run.apply',
  'variable.read',
  'variable.update',
  'state-output.read',
  'state-version.read',
  'state-version.create',
  'tag.manage',
  'run-task.manage',
];

/** Everything that one team was given. */
interface Given {
  readonly organization: TeamPermissions | undefined;
  readonly project: ProjectGrant | undefined;
  readonly workspace: WorkspaceGrant | undefined;
}

const custom = (own: readonly string[]): fc.Arbitrary<CustomProjectAccess> =>
  fc.record(
    {
      ...Object.fromEntries(Object.entries(parts).map(([part, levels]) => [part, fc.constantFrom(...levels)])),
      ...Object.fromEntries([...flags, ...own].map((flag) => [flag, fc.boolean()])),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<CustomProjectAccess>;
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });

const given: fc.Arbitrary<Given> = fc.record({
  organization: maybe(
    fc.oneof(fc.constant<TeamPermissions>('owners'), fc.subarray([...teamPermissions], { maxLength: 3 })),
  ),
  project: maybe(fc.oneof(fc.constantFrom<ProjectGrant>(...projectLevels), custom(projectFlags))),
  workspace: maybe(fc.oneof(fc.constantFrom<WorkspaceGrant>(...workspaceLevels), custom([]))),
});

const only = <T>(entries: readonly (readonly [string, T | undefined])[]): Record<string, T> =>
  Object.fromEntries(entries.filter((entry): entry is [string, T] => entry[1] !== undefined));

const user: Principal = { kind: 'user', id: 'user-1', name: 'ada' };

const contextOf = (
  teams: readonly Given[],
  allowForceDeleteWorkspaces: boolean,
  caller: Caller = { principal: user, teams: teams.map((_, index) => `team-${index}`) },
) => {
  const of = <K extends keyof Given>(key: K) => only(teams.map((team, index) => [`team-${index}`, team[key]] as const));
  const organization = {
    name: 'acme',
    access: of('organization') as Organization['access'],
    allowForceDeleteWorkspaces,
  } as Organization;
  return {
    caller,
    organization,
    project: { organization: 'acme', access: of('project') } as never,
    workspace: { id: 'ws-1', access: of('workspace') as Record<string, WorkspaceGrant> },
  };
};

const allowed = (teams: readonly Given[], setting: boolean): WorkspaceAction[] => {
  const context = contextOf(teams, setting);
  return actions.filter((action) => decide(context, action).kind === 'allow');
};

describe('access', () => {
  test.prop([given, given, fc.boolean()], bounded(400))(
    'equals the union of the access of each team for a member of two teams',
    (one, other, setting) => {
      const [first, second] = [allowed([one], setting), allowed([other], setting)];
      expect(allowed([one, other], setting)).toEqual(
        actions.filter((action) => first.includes(action) || second.includes(action)),
      );
    },
  );

  test.prop([fc.array(given, { maxLength: 4 }), fc.boolean()], bounded(200))(
    'does not depend on the order of the teams',
    (teams, setting) => {
      expect(allowed(teams.toReversed(), setting)).toEqual(allowed(teams, setting));
    },
  );

  test.prop([fc.array(given, { minLength: 1, maxLength: 3 }), fc.boolean(), fc.constantFrom(...actions)], bounded(200))(
    'is rejected without explanation to callers of another organization',
    (teams, setting, action) => {
      const strangers: Caller[] = [
        { principal: user, teams: [] },
        { principal: { kind: 'team', id: 'team-9', name: 'x', organization: 'umbrella' }, teams: ['team-9'] },
        // A team of another organization whose id is, by a slip of the pen, among the grants.
        { principal: { kind: 'team', id: 'team-0', name: 'x', organization: 'umbrella' }, teams: ['team-0'] },
        { principal: { kind: 'organization', id: 'org-9', name: 'x', organization: 'umbrella' }, teams: [] },
      ];
      for (const caller of strangers) {
        expect(decide(contextOf(teams, setting, caller), action)).toEqual({ kind: 'conceal' });
      }
    },
  );

  test.prop([fc.array(given, { maxLength: 3 }), fc.boolean(), fc.constantFrom(...actions)], bounded(200))(
    'is rejected with an explanation only to callers who may read the workspace',
    (teams, setting, action) => {
      const context = contextOf(teams, setting);
      const decision = decide(context, action);
      if (decision.kind === 'allow') return;
      const reads = decide(context, 'workspace.read').kind === 'allow';
      expect(decision.detail !== undefined).toBe(reads);
      if (!reads) expect(decision.kind).toBe('conceal');
    },
  );

  test.each([
    ['workspace.lock', 'This needs permission to lock and unlock (write access or higher).'],
    ['run.queue', 'This needs permission to plan (plan access or higher).'],
    ['tag.manage', 'This needs permission to manage tags (admin access or higher).'],
    ['workspace.update', 'This needs admin access.'],
    ['workspace.create', 'This needs permission to create workspaces.'],
  ] as const)('is rejected for %s with the lowest level that suffices', (action, detail) => {
    const reader = { organization: undefined, project: undefined, workspace: 'read' } as const;
    expect(decide(contextOf([reader], false), action)).toMatchObject({ detail });
  });

  test.prop([fc.array(given, { maxLength: 3 }), fc.boolean()], bounded(200))(
    'equals the permissions in the response',
    (teams, setting) => {
      const context = contextOf(teams, setting);
      const { caller, organization, project, workspace } = context;
      const permissions = workspacePermissions(effectiveRights(caller, organization, project, workspace), organization);
      const asked = {
        'can-read-settings': 'workspace.read',
        'can-lock': 'workspace.lock',
        'can-unlock': 'workspace.unlock',
        'can-force-unlock': 'workspace.force-unlock',
        'can-update': 'workspace.update',
        'can-destroy': 'workspace.safe-delete',
        'can-force-delete': 'workspace.force-delete',
      } as const;
      for (const [permission, action] of Object.entries(asked)) {
        expect(permissions[permission], permission).toBe(decide(context, action).kind === 'allow');
      }
    },
  );

  test.prop([fc.array(given, { minLength: 1, maxLength: 3 }), fc.boolean()], bounded(100))(
    'is independent of the access of teams for an organization token',
    (teams, setting) => {
      const caller: Caller = {
        principal: { kind: 'organization', id: 'org-1', name: 'acme', organization: 'acme' },
        teams: [],
      };
      const [some, none] = [contextOf(teams, setting, caller), contextOf([], setting, caller)];
      for (const action of actions) expect(decide(some, action).kind).toBe(decide(none, action).kind);
      expect(decide(some, 'workspace.lock').kind).toBe('conceal');
      expect(decide(some, 'state-version.create').kind).toBe('conceal');
    },
  );

  test.prop([given, fc.boolean()], bounded(100))(
    'includes read access if it includes any other action',
    (team, setting) => {
      const may = allowed([team], setting).filter((action) => action !== 'workspace.create');
      if (may.length > 0) expect(may).toContain('workspace.read');
    },
  );
});
