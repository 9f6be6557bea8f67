import { prefixes } from '../../domain/ids.ts';
import { retentionPolicyTypes } from '../../domain/state-versions/retention-policy.ts';
import { BASE_PATH } from '../../routes/api.ts';
import {
  linkOnly,
  resource,
  toManyLinked,
  toOne,
  toOneLinked,
  toOneOrNone,
  toOneOrNoneAt,
} from '../../schemas/resource-schema.ts';
import { id, only, path } from '../../schemas/schema.ts';
import { responseProperties } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

/** The complete record of a workspace (WS-6). */
export const workspace = resource('Workspace', {
  type: 'workspaces',
  description: 'A workspace as the caller sees it: running infrastructure, its settings, and who holds its lock.',
  id: id(prefixes.workspace),
  attributes: responseProperties(attributes),
  relationships: {
    organization: toOne('organizations'),
    project: toOne('projects'),
    'agent-pool': toOneOrNone('agent-pools'),
    'ssh-key': toOneLinked('ssh-keys'),
    'locked-by': toOneLinked('users', 'teams', 'runs'),
    'current-run': toOneLinked('runs'),
    'latest-run': toOneLinked('runs'),
    'current-configuration-version': toOneLinked('configuration-versions'),
    'current-assessment-result': toOneOrNone('assessment-results'),
    'current-state-version': toOneOrNoneAt('state-versions'),
    readme: toOneOrNone('workspace-readme'),
    outputs: toManyLinked('workspace-outputs'),
    vars: toManyLinked('vars'),
    'remote-state-consumers': linkOnly,
    'tag-bindings': linkOnly,
    'effective-tag-bindings': toManyLinked('effective-tag-bindings'),
    'data-retention-policy': only('retentionPolicies', toOneLinked(...retentionPolicyTypes)),
  },
  links: {
    self: path(`${BASE_PATH}/organizations/acme/workspaces/network`),
    'self-html': path('/app/acme/workspaces/network'),
  },
});
