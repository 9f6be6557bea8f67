import { changedResourceTypes } from '../../domain/changes/organization-changes.ts';
import { prefixes } from '../../domain/ids.ts';
import { resource, toOne } from '../../schemas/resource-schema.ts';
import { id } from '../../schemas/schema.ts';
import { responseProperties } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

export const historyEntry = resource('HistoryEntry', {
  type: 'history-entries',
  description: 'One change of a resource.',
  id: id(prefixes.event),
  attributes: responseProperties(attributes),
  relationships: { resource: toOne('workspaces', 'varsets', ...changedResourceTypes) },
});
