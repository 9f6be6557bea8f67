import { prefixes } from '../../domain/ids.ts';
import { categories } from '../../domain/workspace/variable.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { resource, toOneAt } from '../../schemas/resource-schema.ts';
import { flag, id, nullable, oneOf, path, text, time } from '../../schemas/schema.ts';

export const variable = resource('Variable', {
  type: 'vars',
  description: 'A variable of a workspace.',
  id: id(prefixes.variable),
  attributes: {
    key: text(),
    value: nullable(text('Null where it is sensitive: such a value is never answered.')),
    description: nullable(text()),
    sensitive: flag('Whether the value can be replaced but not read.'),
    category: oneOf(categories, 'Whether it is for the infrastructure tool itself or for its environment.'),
    hcl: flag('Whether the value is code to be evaluated.'),
    'created-at': time(),
    'version-id': text('Another one with every update.', {
      pattern: '^[0-9a-f]{64}$',
      examples: ['699b14ea5d5e5c02f6352fac6bfd0a1424c21d32be14d1d9eb79f5e1f28f663a'],
    }),
  },
  relationships: { configurable: toOneAt('workspaces') },
  links: { self: path(`${BASE_PATH}/workspaces/ws-CvpbqPPtsWSnyrTk/vars/var-CvpbqPPtsWSnyrTk`) },
});
