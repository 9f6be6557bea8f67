import { nullable, text, time } from '../../schemas/schema.ts';
import type { AttributeTable } from '../attribute-table.ts';

/** The attributes of a managed resource in the current state of a workspace (STATE-23). */
export const attributes = {
  address: { response: text('Without the word `module`.', { examples: ['network.aws_subnet.this[0]'] }) },
  name: { response: text(undefined, { examples: ['this'] }) },
  module: { response: text('`root` for the root module.', { examples: ['network'] }) },
  provider: { response: text(undefined, { examples: ['hashicorp/aws'] }) },
  'provider-type': { response: text('Type of the resource.', { examples: ['aws_subnet'] }) },
  'name-index': { response: nullable(text('Number or key of the instance.', { examples: ['0'] })) },
  'modified-by-state-version-id': { response: text('Id of the current state version.') },
  'created-at': { response: time('Creation of the current state version.') },
  'updated-at': { response: time('Creation of the current state version.') },
} as const satisfies AttributeTable;

/** Fields in the parameter `sort`, each followed by `:asc` or `:desc`. All rows have the same time. */
export const sortFields = ['name', 'nameIndex', 'provider', 'providerType', 'module', 'updatedAt'] as const;

/** Values of the parameter `sort`. */
export const sortOrders = sortFields.flatMap((field) => [`${field}:asc`, `${field}:desc`] as const);
