import { computedId } from '../../domain/ids.ts';
import { addressOf, type ManagedResource } from '../../domain/state-versions/managed-resource.ts';
import type { StateVersion } from '../../domain/state-versions/state-version.ts';
import type { Resource } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

/** Builds the resource of an instance of a managed resource. Its id stays the same while its address does. */
export const workspaceResourceResource = (
  { id: stateVersion, workspace, createdAt }: StateVersion,
  resource: ManagedResource,
): Resource => {
  const address = addressOf(resource);
  const at = timestamp(createdAt);
  const values: ComputedValues<typeof attributes> = {
    address,
    name: resource.name,
    module: resource.module,
    provider: resource.provider,
    'provider-type': resource.type,
    'name-index': resource.index === null ? null : String(resource.index),
    'modified-by-state-version-id': stateVersion,
    'created-at': at,
    'updated-at': at,
  };
  return { id: computedId('stateResource', workspace, address), type: 'resources', attributes: values };
};
