import { prefixes } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { resource, toOne } from '../../schemas/resource-schema.ts';
import { count, id, path } from '../../schemas/schema.ts';

const shared = {
  id: id(prefixes.retentionPolicy),
  relationships: { target: toOne('workspaces', 'organizations') },
  links: { self: path(`${BASE_PATH}/workspaces/ws-CvpbqPPtsWSnyrTk/relationships/data-retention-policy`) },
};
const days = count('State versions older than this go, but for the current one.', {
  minimum: 1,
  maximum: limits.retentionDays,
});

/** What a data retention policy can be (RET-4). */
export const retentionPolicies = [
  resource('DataRetentionPolicyDeleteOlder', {
    type: 'data-retention-policy-delete-olders',
    description: 'State versions are deleted after some days.',
    attributes: { 'delete-older-than-n-days': days },
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
    description: 'State versions are deleted after some days: the older form, for who set it in that form.',
    attributes: { 'delete-older-than-n-days': days },
    ...shared,
  }),
] as const;
