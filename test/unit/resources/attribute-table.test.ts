import Value from 'typebox/value';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { createChangeRecord } from '../../../shared/domain/changes/change-context.ts';
import type { Organization, Project, Team } from '../../../shared/domain/directory/records.ts';
import type { Effect } from '../../../shared/domain/directory/transitions/plan.ts';
import { editions } from '../../../shared/domain/editions.ts';
import { synonyms } from '../../../shared/domain/vocabulary.ts';
import type { PlainSettings, RuledSettings } from '../../../shared/domain/workspace/workspace-record.ts';
import { requestAttributes, responseProperties } from '../../../shared/resources/attribute-schemas.ts';
import {
  type AttributeTableWithSettings,
  defaultSettings,
  mapRequest,
  type RequestMappings,
  readSettings,
  responseAttributes,
  setting,
} from '../../../shared/resources/attribute-table.ts';
import { attributes as organizationAttributes } from '../../../shared/resources/organizations/attributes.ts';
import { attributes as projectAttributes } from '../../../shared/resources/projects/attributes.ts';
import { attributes as teamAttributes } from '../../../shared/resources/teams/attributes.ts';
import { attributes as workspaceAttributes } from '../../../shared/resources/workspaces/attributes.ts';
import { flag, nullable, text } from '../../../shared/schemas/schema.ts';
import type { Item } from '../../../shared/store/dynamodb/keys.ts';
import { organizationOf } from '../../../shared/store/items/directory-items.ts';
import { effectWrites } from '../../../shared/store/items/directory-writes.ts';
import { recordOf } from '../../../shared/store/items/record-items.ts';
import { serviceRequest } from '../../../shared/store/workspaces/service-request.ts';

const table = {
  name: { request: text(undefined, { maxLength: 10 }), response: text() },
  'auto-apply': setting({ setting: 'autoApply', schema: flag('Applies.'), default: false }),
  secret: { request: text() },
  directory: setting({ setting: 'directory', schema: nullable(text()), default: 'root' }),
  label: { synonymOf: 'name' },
  assessed: { feature: 'healthAssessments', response: flag() },
} as const satisfies AttributeTableWithSettings;

describe('an attribute table', () => {
  it('gives requests every attribute that can be set, none of them required', () => {
    const { properties, required } = requestAttributes(table);
    expect(Object.keys(properties)).toEqual(['name', 'auto-apply', 'secret', 'directory', 'label']);
    expect(required).toBeUndefined();
    expect(properties).toMatchObject({
      'auto-apply': { description: 'Applies. Default at creation: false.' },
      label: { maxLength: 10, description: 'Another name of `name`.' },
    });
  });

  it('gives responses every attribute but those that are only sent', () => {
    expect(Object.keys(responseProperties(table))).toEqual(['name', 'auto-apply', 'directory', 'label', 'assessed']);
  });

  it('reads the settings of a request by their names in the domain, without the omitted ones', () => {
    expect(readSettings(table, { name: 'a', 'auto-apply': true })).toEqual({ autoApply: true });
    expect(readSettings(table, { directory: null })).toEqual({ directory: null });
  });

  it('fills responses in its own order, without the attributes of features that are not offered', () => {
    const computed = { assessed: true, name: 'a' };
    const settings = { directory: null, autoApply: true };
    expect(Object.entries(responseAttributes(table, settings, computed, editions['self-hosted']))).toEqual([
      ['name', 'a'],
      ['auto-apply', true],
      ['directory', null],
      ['label', 'a'],
    ]);
    expect(responseAttributes(table, settings, computed, editions.hosted)).toMatchObject({ assessed: true });
  });

  it('returns the default of a setting that was not stored, as with a workspace older than the setting', () => {
    expect(defaultSettings(table)).toEqual({ autoApply: false, directory: 'root' });
    const shown = responseAttributes(table, {}, { name: 'a', assessed: true }, editions['self-hosted']);
    expect(shown).toEqual({ name: 'a', 'auto-apply': false, directory: 'root', label: 'a' });
  });
});

describe('the mapping of a request', () => {
  const mappings: RequestMappings<typeof table, { readonly name?: string; readonly secret?: string }> = {
    secret: (secret, { name }) => (secret === '' ? {} : { secret: `${secret} of ${name}` }),
  };

  it('copies the attributes without a function, under their names in the domain', () => {
    const renamed = { 'pool-id': { request: text(), member: 'pool' }, 'is-global': { request: flag() } } as const;
    const request = mapRequest(renamed, { 'pool-id': 'p', 'is-global': false }, {});
    expect(request).toEqual({ pool: 'p', isGlobal: false });
    expectTypeOf(request).toEqualTypeOf<{ readonly pool?: string; readonly isGlobal?: boolean }>();
  });

  it('calls the function of each given attribute that has one, which sees the other attributes', () => {
    expect(mapRequest(table, { name: 'a', secret: 's', 'auto-apply': true }, mappings)).toEqual({
      name: 'a',
      secret: 's of a',
    });
  });

  it('does not compile without a function for an attribute that the domain has in another form', () => {
    const numbered = { size: { request: text() } } as const;
    // @ts-expect-error
    const missing: RequestMappings<typeof numbered, { readonly size?: number }> = {};
    expect(mapRequest(numbered, {}, missing)).toEqual({});
  });

  it('leaves out attributes that are omitted or mapped to nothing', () => {
    expect(Object.keys(mapRequest(table, { secret: '' }, mappings))).toEqual([]);
  });

  it('ignores attributes that the table does not have', () => {
    expect(mapRequest(table, { toString: 'x', other: 1 } as object, mappings)).toEqual({});
  });
});

const tables: Readonly<Record<string, AttributeTableWithSettings>> = {
  workspace: workspaceAttributes,
  organization: organizationAttributes,
  project: projectAttributes,
  team: teamAttributes,
};

it('replaces every other name that requests may use, in all resources', () => {
  const names = Object.values(tables).flatMap((attributes) =>
    Object.entries(attributes).flatMap(([name, one]) =>
      'synonymOf' in one && Object.hasOwn(requestAttributes(attributes).properties, name)
        ? [[name, one.synonymOf]]
        : [],
    ),
  );
  expect(names).toEqual([['terraform-version', 'infra-version']]);
  expect(synonyms).toMatchObject(Object.fromEntries(names));
});

describe.each(Object.entries(tables))('the settings of the resource %s', (_, attributes) => {
  const settings = Object.values(attributes).flatMap((one) => ('setting' in one ? [one] : []));

  it('have defaults that their schemas accept', () => {
    for (const { setting: name, schema, default: value } of settings)
      expect(Value.Check(schema, value), name).toBe(true);
  });

  it('have names of their own in the domain', () => {
    expect(new Set(settings.map((one) => one.setting)).size).toBe(settings.length);
    expectTypeOf<keyof PlainSettings & keyof RuledSettings>().toBeNever();
  });
});

describe('the item of a record keeps every setting', () => {
  const stored = (attributes: AttributeTableWithSettings) =>
    Object.fromEntries(
      Object.values(attributes).flatMap((one) => ('setting' in one ? [[one.setting, `value of ${one.setting}`]] : [])),
    );
  const changeRecord = createChangeRecord('evt-1', 'team.created', serviceRequest('test'), 0, {});
  const itemOf = (effect: Effect): Item => {
    const [{ write } = { write: undefined }] = effectWrites(effect);
    if (write?.kind !== 'put' || write.item === undefined) throw new TypeError('The write has no item');
    return write.item;
  };

  it('of an organization', () => {
    const settings = stored(organizationAttributes);
    const organization = { name: 'acme', access: {}, ...settings } as unknown as Organization;
    expect(
      organizationOf(itemOf({ kind: 'create', of: 'organization', record: organization, changeRecord })),
    ).toMatchObject(settings);
  });

  it('of a team', () => {
    const settings = stored(teamAttributes);
    const team = { id: 'team-1', organization: 'acme', name: 'builders', ...settings } as unknown as Team;
    expect(recordOf('team', itemOf({ kind: 'create', of: 'team', record: team, changeRecord }))).toMatchObject(
      settings,
    );
  });

  it('of a project', () => {
    const settings = stored(projectAttributes);
    const project = { id: 'prj-1', organization: 'acme', name: 'Home', access: {}, bindings: [], ...settings };
    const record = project as unknown as Project;
    expect(
      recordOf('project', itemOf({ kind: 'create', of: 'project', record, shards: 4, changeRecord })),
    ).toMatchObject(settings);
  });
});
