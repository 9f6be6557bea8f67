import Type from 'typebox';
import { related } from '../../schemas/request-schema.ts';
import { oneOf } from '../../schemas/schema.ts';
import { requestAttributes } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

const newStateVersion = Type.Object(
  {
    data: Type.Object({
      type: Type.Optional(oneOf(['state-versions'])),
      attributes: requestAttributes(attributes, ['serial', 'md5']),
    }),
  },
  {
    examples: [
      {
        data: {
          type: 'state-versions',
          attributes: {
            serial: 1,
            md5: '4ae22d5ac0b2c5a6fb9e5b8a7ad8f1a0',
            lineage: '741c4949-60b9-5bb1-5bf8-b14f4bb14af3',
          },
        },
      },
    ],
  },
);

const stateRollback = Type.Object(
  {
    data: Type.Object({
      type: Type.Optional(oneOf(['state-versions'])),
      relationships: Type.Object({ 'rollback-state-version': related }),
    }),
  },
  {
    examples: [
      {
        data: {
          type: 'state-versions',
          relationships: { 'rollback-state-version': { data: { type: 'state-versions', id: 'sv-CvpbqPPtsWSnyrTk' } } },
        },
      },
    ],
  },
);

export const stateVersionBodies = { newStateVersion, stateRollback };
