import { describe, expect, it } from 'vitest';
import type { Organization, Project, SshKey, Team } from '../../../../shared/domain/directory/records.ts';
import type { Token } from '../../../../shared/domain/directory/tokens.ts';
import type { Stored } from '../../../../shared/domain/directory/transitions/plan.ts';
import { createRecord, updateRecord } from '../../../../shared/domain/directory/transitions/records.ts';
import {
  close,
  finalizeOrganization,
  releaseName,
  reopen,
} from '../../../../shared/domain/directory/transitions/removal.ts';
import { updateTeam } from '../../../../shared/domain/directory/transitions/teams.ts';
import { createToken, renameTokens, revokeToken } from '../../../../shared/domain/directory/transitions/tokens.ts';
import { requireUnusedPool, requireUnusedProject } from '../../../../shared/domain/directory/transitions/usage.ts';
import { attempt, kindsOf, rejectionOf } from './attempt.ts';

const organization = {
  kind: 'organization',
  record: { name: 'acme', externalId: 'org-1', shards: 4, access: {} } as unknown as Organization,
} as const;
const key: SshKey = {
  id: 'sshkey-1',
  organization: 'acme',
  name: 'deploy',
  encryptedKey: new Uint8Array(),
  createdAt: 1,
};
const stored: Stored<'sshKey'> = { kind: 'sshKey', record: key };
const project: Stored<'project'> = {
  kind: 'project',
  record: { id: 'prj-1', organization: 'acme', name: 'Home', access: {}, bindings: [] } as unknown as Project,
  listedAt: 5_000,
};

describe('creating a record', () => {
  const create = (existing?: Stored<'sshKey'>, given = organization as Stored<'organization'> | undefined) =>
    createRecord(attempt(), 'sshKey', existing, given, key, {});

  it('takes its name and requires that the organization is open', () => {
    expect(kindsOf(create().effects)).toEqual(['create', 'take-name', 'require']);
    expect(rejectionOf(() => create(undefined, { ...organization, closingSince: 1 }))).toEqual([
      'not-found',
      'There is no organization of that name.',
    ]);
  });

  it('returns the record of that name, and recognizes the one that an earlier attempt created', () => {
    expect(create(stored)).toMatchObject({ effects: [], result: { created: true } });
    expect(create({ ...stored, record: { ...key, id: 'sshkey-2' } })).toMatchObject({ result: { created: false } });
  });

  it('rejects the name of a record whose deletion is not final', () => {
    expect(rejectionOf(() => create({ ...stored, closingSince: 1 }))?.[1]).toBe('Name has already been taken');
  });
});

describe('updating a record', () => {
  it('writes nothing if nothing changes', () => {
    expect(updateRecord(attempt(), stored, { newName: 'deploy', change: { set: {} } }).effects).toEqual([]);
  });

  it('moves the claim on its name, and rejects a taken name', () => {
    const { effects } = updateRecord(attempt(), stored, { newName: 'other' });
    expect(kindsOf(effects)).toEqual(['update', 'give-up-name', 'take-name']);
    expect(effects[0]).toMatchObject({
      changeRecord: { type: 'ssh-key.updated', keys: ['name'], previous: { name: 'deploy' } },
    });
    expect(rejectionOf(effects[2]?.rejection)?.[1]).toBe('Name has already been taken');
  });

  it('advances the position of a project in the list index, also where clocks differ', () => {
    const [update] = updateRecord(attempt(), project, { newName: 'House' }).effects;
    expect(update).toMatchObject({ change: { set: { listedAt: 5_001 } } });
  });

  it('rejects another name and other permissions of the owners team', () => {
    const owners = { id: 'team-1', organization: 'acme', name: 'owners', permissions: 'owners' } as unknown as Team;
    expect(rejectionOf(() => updateTeam(owners, { newName: 'x' }, []))?.[1]).toBe('The owners team cannot be renamed.');
    expect(rejectionOf(() => updateTeam(owners, { permissions: [] }, []))?.[1]).toBe(
      'The owners team may do everything.',
    );
  });
});

describe('deleting a record', () => {
  const deletion = { of: { kind: 'organization', id: 'acme' }, since: 7, claim: undefined, change: undefined } as const;
  const claim = { of: 'sshKey', organization: 'acme', name: 'deploy', id: key.id, version: 'one' } as const;

  it('marks it with the change record of the deletion, and a project as deleted', () => {
    expect(close(attempt(), stored, claim, 30).effects).toMatchObject([
      { change: { set: { closingSince: 1_000, cleanupAt: 1_030, deletion: { type: 'ssh-key.deleted' } } } },
    ]);
    expect(close(attempt(), project, undefined, 30).effects).toMatchObject([{ change: { set: { deletedAt: 1_000 } } }]);
  });

  it('is final without the claim on its name', () => {
    expect(close(attempt(), { ...stored, closingSince: 7 }, undefined, 30)).toEqual({ effects: [], result: undefined });
    expect(close(attempt(), { ...stored, closingSince: 7 }, claim, 30).result).toMatchObject({ since: 7, claim });
  });

  it('does not release a name that a reopening has changed', () => {
    expect(releaseName(claim, { ...claim, version: 'two' })).toEqual({ effects: [], result: false });
    expect(releaseName(claim, { ...claim, id: 'sshkey-2' })).toEqual({ effects: [], result: true });
    expect(kindsOf(releaseName(claim, claim).effects)).toEqual(['release-name']);
  });

  it('neither reopens nor finalizes a deletion that another one has replaced', () => {
    expect(reopen(attempt(), { ...organization, closingSince: 8 }, undefined, deletion)).toMatchObject({
      result: false,
    });
    expect(finalizeOrganization(attempt(), { closingSince: 8 }, deletion)).toMatchObject({
      effects: [],
      result: false,
    });
    expect(finalizeOrganization(attempt(), { deletedAt: 8 }, deletion)).toMatchObject({ effects: [], result: true });
  });

  it('is rejected while it is in use', () => {
    expect(rejectionOf(() => requireUnusedProject(2, false))?.[1]).toBe('The project still has 2 workspaces.');
    expect(rejectionOf(() => requireUnusedProject(0, true))?.[1]).toBe('The default project cannot be deleted.');
    expect(rejectionOf(() => requireUnusedPool(1, 2, false))?.[1]).toBe(
      'The agent pool is still used by 1 workspace, and the default of 2 projects.',
    );
  });
});

describe('tokens', () => {
  const token = { id: 'at-1', digest: 'one', subject: { kind: 'team', id: 'team-1' }, description: 'ci' } as Token;
  const team = { kind: 'team', record: { id: 'team-1', organization: 'acme', name: 'devs' } as Team } as const;

  it('rejects the description of another token of the team', () => {
    const create = () => createToken(attempt(), { kind: 'team', team, tokens: [token] }, { ...token, id: 'at-2' });
    expect(rejectionOf(create)?.[1]).toBe('Validation failed: Description has already been taken');
  });

  it('replaces the single token of a team only while it is the same', () => {
    const single = { kind: 'single', name: 'devs', organization: 'acme', current: 'at-1', replaced: token } as const;
    const { effects, result } = createToken(attempt(), { ...single, subject: token.subject }, { ...token, id: 'at-2' });
    expect(kindsOf(effects)).toEqual(['create-token', 'update', 'revoke-token']);
    expect(effects[1]).toMatchObject({ change: { set: { singleToken: 'at-2' } } });
    expect(result.replaced).toBe('one');
  });

  it('revokes a token that another attempt has revoked only once', () => {
    const revoke = (previous?: string) => revokeToken(attempt({ previous }), 'at-1', undefined, undefined);
    expect(revoke('one')).toEqual({ effects: [], result: 'one' });
    expect(rejectionOf(() => revoke())?.[1]).toBe('There is no token at-1.');
  });

  it('rejects a rename of a subject with more than 40 tokens', () => {
    const rename = (count: number) =>
      renameTokens(
        Array.from({ length: count }, () => token),
        'next',
      );
    expect(rename(40)).toHaveLength(40);
    expect(rejectionOf(() => rename(41))?.[0]).toBe('conflict');
  });
});
