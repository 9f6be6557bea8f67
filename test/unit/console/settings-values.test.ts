import { expect, it } from 'vitest';
import {
  APP_INSTALLATION,
  changedAttributes,
  type SettingsValues,
  toSettingsValues,
} from '../../../functions/console/app/pages/workspace/settings-values.ts';

type Attributes = Parameters<typeof toSettingsValues>[0]['attributes'];

const repository = {
  ...{ branch: 'main', identifier: 'acme/network', 'display-identifier': 'acme/network', 'ingress-submodules': false },
  ...{
    'oauth-token-id': 'ot-1',
    'tags-regex': null,
    'webhook-url': null,
    'source-directory': null,
    'tag-prefix': null,
  },
  'repository-http-url': 'https://github.com/acme/network',
  'service-provider': 'github',
} as const;

const attributes = {
  ...{ name: 'network', description: null, 'infra-version': '1.9.8', 'working-directory': null },
  ...{ 'execution-mode': 'remote', 'agent-pool-id': null, 'deletion-protection': false },
  'setting-overwrites': { 'execution-mode': false, 'agent-pool': false, 'deletion-protection': false },
  ...{ 'vcs-repo': null, 'trigger-patterns': [], 'trigger-prefixes': [], 'file-triggers-enabled': true },
  ...{ 'inherits-project-auto-destroy': true, 'auto-destroy-at': null, 'auto-destroy-activity-duration': null },
  ...{ 'global-remote-state': false, 'project-remote-state': false },
} as unknown as Attributes;

const change = (stored: Partial<Attributes>, entered: Partial<SettingsValues>) => {
  const values = toSettingsValues({ attributes: { ...attributes, ...stored } });
  return changedAttributes(values, { ...values, ...entered });
};

it('the form of settings sends nothing when nothing was changed', () => {
  expect(change({}, {})).toEqual({});
  expect(change({ 'vcs-repo': repository, 'auto-destroy-activity-duration': '14d' }, {})).toEqual({});
});

it('the form of settings sends a new repository with its connection', () => {
  expect(change({}, { 'oauth-token-id': 'ot-1', identifier: 'acme/network', branch: 'main' })).toEqual({
    'vcs-repo': { 'oauth-token-id': 'ot-1', identifier: 'acme/network', branch: 'main' },
  });
  expect(change({}, { 'oauth-token-id': 'ot-1' })).toEqual({
    'vcs-repo': { 'oauth-token-id': 'ot-1', identifier: '' },
  });
});

it('the form of settings sends only the changed members of a repository, and null without a connection', () => {
  const stored = { 'vcs-repo': repository };
  expect(change(stored, { 'tags-regex': '^v' })).toEqual({ 'vcs-repo': { 'tags-regex': '^v' } });
  expect(change(stored, { 'oauth-token-id': '' })).toEqual({ 'vcs-repo': null });
});

it('the form of settings sends the id of an app installation in place of a connection, and the other way round', () => {
  const connected = { 'vcs-repo': repository };
  expect(change(connected, { 'oauth-token-id': APP_INSTALLATION, 'app-installation-id': 'ghain-1' })).toEqual({
    'vcs-repo': { 'app-installation-id': 'ghain-1' },
  });
  const installed = { 'vcs-repo': { ...repository, 'oauth-token-id': null, 'app-installation-id': 'ghain-1' } };
  expect(change(installed, {})).toEqual({});
  expect(change(installed, { branch: 'next' })).toEqual({ 'vcs-repo': { branch: 'next' } });
  expect(change(installed, { 'app-installation-id': 'ghain-2' })).toEqual({
    'vcs-repo': { 'app-installation-id': 'ghain-2' },
  });
  expect(change(installed, { 'oauth-token-id': 'ot-1' })).toEqual({ 'vcs-repo': { 'oauth-token-id': 'ot-1' } });
});

it('the form of settings sends one pattern for each line that is not empty', () => {
  expect(change({ 'trigger-prefixes': ['modules'] }, { 'trigger-patterns': ' *.tf\n\n/shared/**/* \n' })).toEqual({
    'trigger-patterns': ['*.tf', '/shared/**/*'],
  });
});

it.each([
  [
    { 'inherits-project-auto-destroy': false, 'auto-destroy-activity-duration': '14d' },
    { 'inherits-project-auto-destroy': 'off' },
    { 'auto-destroy-at': null, 'auto-destroy-activity-duration': null, 'inherits-project-auto-destroy': false },
  ],
  [
    {},
    { 'inherits-project-auto-destroy': 'inactivity', 'auto-destroy-activity-duration': '14d' },
    { 'auto-destroy-activity-duration': '14d' },
  ],
  [
    {},
    { 'inherits-project-auto-destroy': 'time', 'auto-destroy-at': '2030-01-31T08:00' },
    { 'auto-destroy-at': new Date('2030-01-31T08:00').toISOString() },
  ],
  [{}, { 'inherits-project-auto-destroy': 'time', 'auto-destroy-at': '' }, { 'auto-destroy-at': '' }],
  [
    { 'inherits-project-auto-destroy': false, 'auto-destroy-activity-duration': '14d' },
    { 'inherits-project-auto-destroy': 'inherit' },
    { 'inherits-project-auto-destroy': true },
  ],
] as const)('the form of settings of a workspace with %j sends %j as %j', (stored, entered, expected) => {
  expect(change(stored, entered)).toEqual(expected);
});

it('the form of settings shares the state in one way only', () => {
  const stored = { 'global-remote-state': true };
  expect(change(stored, { 'project-remote-state': 'project' })).toEqual({
    'global-remote-state': false,
    'project-remote-state': true,
  });
});
