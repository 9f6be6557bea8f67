import { describe, expect, it } from 'vitest';
import type { Team, User } from '../../../../shared/domain/directory/records.ts';
import {
  addMember,
  type HeldMemberships,
  join,
  leave,
  removeMember,
  requireOwnerless,
} from '../../../../shared/domain/directory/transitions/memberships.ts';
import { useUser } from '../../../../shared/domain/directory/transitions/users.ts';
import { attempt, kindsOf, rejectionOf } from './attempt.ts';

const user: User = { id: 'user-1', username: 'ada', email: 'ada@example.com', serviceAccount: false, createdAt: 1 };
const team: Team = { id: 'team-1', organization: 'acme', name: 'owners', permissions: 'owners', createdAt: 1 };
const held: HeldMemberships = {
  user: user.id,
  organization: 'acme',
  membership: { id: 'ou-1', organization: 'acme', user: user.id, createdAt: 1, revision: 'one' },
  teams: [team.id],
  ownersTeam: team.id,
  owners: [user.id, 'user-2'],
};
const LAST_OWNER = 'The organization acme would have no owner. Add another user to its owners team first.';

describe('adding a user to a team', () => {
  it('also adds a user who is outside the organization to the organization', () => {
    const outside = { inTeam: false, inOrganization: false };
    const { effects, result } = addMember(attempt(), { team, user }, outside, 'ou-1');
    expect(kindsOf(effects)).toEqual(['join-team', 'join-organization', 'require', 'require', 'require']);
    expect(effects[1]).toMatchObject({ membership: { id: 'ou-1', organization: 'acme', user: user.id } });
    expect(result.created).toBe(true);
  });

  it('writes nothing for a member, whom only an earlier attempt of the request has added', () => {
    const member = { inTeam: true, inOrganization: true };
    expect(addMember(attempt(), { team, user }, member, 'ou-1')).toMatchObject({
      effects: [],
      result: { created: false },
    });
    const repeated = attempt({ previous: { team, user, created: true } });
    expect(addMember(repeated, { team, user }, member, 'ou-1')).toMatchObject({
      effects: [],
      result: { created: true },
    });
  });
});

describe('removing a user from a team', () => {
  it('rejects the removal of the only owner', () => {
    expect(rejectionOf(() => removeMember(attempt(), { team, user }, [user.id]))).toEqual(['conflict', LAST_OWNER]);
  });

  it('requires that another owner stays one', () => {
    const { effects } = removeMember(attempt(), { team, user }, [user.id, 'user-2']);
    expect(effects).toMatchObject([
      { kind: 'leave-team', isDoneOnFailure: true },
      { kind: 'require-member', user: 'user-2' },
    ]);
  });

  it('writes nothing for a user who is not an owner', () => {
    expect(removeMember(attempt(), { team, user }, ['user-2']).effects).toEqual([]);
  });
});

describe('joining an organization', () => {
  const request = { id: 'ou-2', teams: ['team-2'], isFirstOwner: false };

  it('rejects a team that is deleted at the same time', () => {
    const { effects } = join(attempt(), 'acme', useUser(user), undefined, request);
    expect(rejectionOf(effects.at(-1)?.rejection)).toEqual([
      'invalid-attribute',
      'Team does not exist in this organization',
    ]);
  });

  it('keeps an existing membership, and recognizes the one that an earlier attempt created', () => {
    const plan = (id: string) => join(attempt(), 'acme', useUser(user), held.membership, { ...request, id });
    expect(plan('ou-2')).toMatchObject({ effects: [], result: { created: false, membership: { id: 'ou-1' } } });
    expect(plan('ou-1')).toMatchObject({ effects: [], result: { created: true } });
  });

  it('rejects a first owner where there is an owner', () => {
    const detail = 'There is no organization of that name.';
    expect(rejectionOf(() => requireOwnerless(undefined, []))).toEqual(['not-found', detail]);
    expect(rejectionOf(() => requireOwnerless(true, ['user-2']))).toEqual(['not-found', detail]);
    expect(rejectionOf(() => requireOwnerless(true, []))).toBeUndefined();
  });
});

describe('leaving an organization', () => {
  it('ends the memberships of its teams too, unless the user has joined another team since', () => {
    const { effects, result } = leave(attempt(), held, () => undefined);
    expect(kindsOf(effects)).toEqual(['leave-team', 'leave-organization', 'require-member']);
    expect(effects[1]).toMatchObject({ revision: 'one', changeRecord: { type: 'organization-membership.deleted' } });
    expect(result).toBe(true);
  });

  it('is repeated where the teams are too many for one transaction', () => {
    const teams = Array.from({ length: 46 }, (_, index) => `team-${index + 2}`);
    const { effects, result } = leave(attempt(), { ...held, teams }, () => undefined);
    expect(effects).toHaveLength(45);
    expect(result).toBe(false);
  });

  it('rejects the only owner, and what the caller may not end', () => {
    const last = { ...held, owners: [user.id] };
    expect(rejectionOf(() => leave(attempt(), last, () => undefined))).toEqual(['conflict', LAST_OWNER]);
    const forbid = (isOwner: boolean) => {
      if (isOwner) throw new Error('forbidden');
    };
    expect(() => leave(attempt(), held, forbid)).toThrow('forbidden');
  });
});
