import Type from 'typebox';
import { limits } from '../../domain/limits.ts';
import { flag, id, nullableText, oneOf, text } from '../../schemas/parts.ts';

const encoded = (description: string) =>
  Type.Optional(nullableText(limits.bodyWithState, { description: `${description}, in base 64.` }));

const newStateVersion = Type.Object(
  {
    data: Type.Object({
      type: oneOf(['state-versions']),
      attributes: Type.Object({
        serial: Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: "Above that of the workspace's state; the same again only with the same content.",
        }),
        md5: text(32, { pattern: '^[0-9a-fA-F]{32}$', description: 'Of the raw bytes of the state, in hexadecimal.' }),
        lineage: Type.Optional({ ...id, description: "That of the workspace's state, where there is one." }),
        intermediate: flag(
          'Whether it becomes the current one only when the lock ends, like a snapshot in the middle of an apply; false at first: as soon as its content was read.',
        ),
        force: flag('Whether it may have any serial and lineage, whatever state there is; false at first.'),
        state: encoded('The state itself, where it is not to be uploaded'),
        'json-state': encoded('The same state as JSON for other tools to read'),
        'json-state-outputs': encoded('The outputs of the state; they are read from the state where that can be read'),
      }),
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

export const stateVersionBodies = { newStateVersion };
