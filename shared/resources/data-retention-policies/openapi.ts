import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { resource, toOne } from '../../schemas/resource-schema.ts';
import { id, path } from '../../schemas/schema.ts';
import { responseProperties } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

const shared = {
  id: id(prefixes.retentionPolicy),
  relationships: { target: toOne('workspaces', 'organizations') },
  links: { self: path(`${BASE_PATH}/workspaces/ws-CvpbqPPtsWSnyrTk/relationships/data-retention-policy`) },
};
/** The types of data retention policies (RET-4). */
export const retentionPolicies = [
  resource('DataRetentionPolicyDeleteOlder', {
    type: 'data-retention-policy-delete-olders',
    description: 'State versions are deleted after a number of days.',
    attributes: responseProperties(attributes),
    ...shared,
  }),
  resource('DataRetentionPolicyDontDelete', {
    type: 'data-retention-policy-dont-deletes',
    description: 'State versions are never deleted.',
    attributes: {},
    ...shared,
  }),
  resource('DataRetentionPolicy', {
    type: 'data-retention-policies',
    description: 'State versions are deleted after a number of days. An older type, returned where it was set.',
    attributes: responseProperties(attributes),
    ...shared,
  }),
] as const;
