import Type from 'typebox';
import { resourceDocument } from '../../schemas/request-schema.ts';
import { requestAttributes } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

const sshKey = resourceDocument(
  'ssh-keys',
  {
    attributes: Type.Optional(requestAttributes(attributes)),
  },
  { attributes: { name: 'deploy', value: 'content of the private key' } },
);

export const sshKeyBodies = { sshKey };
