import Type from 'typebox';
import { nullableId } from '../../schemas/request-schema.ts';
import { oneOf } from '../../schemas/schema.ts';
import { requestAttributes } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

const sshKey = Type.Object(
  {
    data: Type.Object({
      type: Type.Optional(oneOf(['ssh-keys'])),
      id: Type.Optional(nullableId),
      attributes: Type.Optional(requestAttributes(attributes)),
    }),
  },
  { examples: [{ data: { type: 'ssh-keys', attributes: { name: 'deploy', value: 'content of the private key' } } }] },
);

export const sshKeyBodies = { sshKey };
