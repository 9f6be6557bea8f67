import Value from 'typebox/value';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { editions } from '../../../shared/domain/editions.ts';
import type { PlainSettings, RuledSettings } from '../../../shared/domain/workspace/workspace-record.ts';
import { requestAttributes, responseProperties } from '../../../shared/resources/attribute-schemas.ts';
import {
  type AttributeTableWithSettings,
  defaultSettings,
  readSettings,
  responseAttributes,
  setting,
} from '../../../shared/resources/attribute-table.ts';
import { attributes as workspaceAttributes } from '../../../shared/resources/workspaces/attributes.ts';
import { flag, nullable, text } from '../../../shared/schemas/schema.ts';

const table = {
  name: { request: text(undefined, { maxLength: 10 }), response: text() },
  'auto-apply': setting({ setting: 'autoApply', schema: flag('Applies.'), default: false }),
  secret: { request: text() },
  directory: setting({ setting: 'directory', schema: nullable(text()), default: 'root' }),
  assessed: { feature: 'healthAssessments', response: flag() },
} as const satisfies AttributeTableWithSettings;

describe('an attribute table', () => {
  it('gives requests every attribute that can be set, none of them required', () => {
    const { properties, required } = requestAttributes(table);
    expect(Object.keys(properties)).toEqual(['name', 'auto-apply', 'secret', 'directory']);
    expect(required).toBeUndefined();
    expect(properties).toMatchObject({ 'auto-apply': { description: 'Applies. Default at creation: false.' } });
  });

  it('gives responses every attribute but those that are only sent', () => {
    expect(Object.keys(responseProperties(table))).toEqual(['name', 'auto-apply', 'directory', 'assessed']);
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
    ]);
    expect(responseAttributes(table, settings, computed, editions.hosted)).toMatchObject({ assessed: true });
  });

  it('returns the default of a setting that was not stored, as with a workspace older than the setting', () => {
    expect(defaultSettings(table)).toEqual({ autoApply: false, directory: 'root' });
    const shown = responseAttributes(table, {}, { name: 'a', assessed: true }, editions['self-hosted']);
    expect(shown).toEqual({ name: 'a', 'auto-apply': false, directory: 'root' });
  });
});

it('gives every setting of a workspace a default that its schema accepts', () => {
  for (const [name, attribute] of Object.entries(workspaceAttributes)) {
    if ('setting' in attribute) expect(Value.Check(attribute.schema, attribute.default), name).toBe(true);
  }
});

it('stores every setting of a workspace under a name of its own', () => {
  const names = Object.values(workspaceAttributes).flatMap((one) => ('setting' in one ? [one.setting] : []));
  expect(new Set(names).size).toBe(names.length);
  expectTypeOf<keyof PlainSettings & keyof RuledSettings>().toBeNever();
});
