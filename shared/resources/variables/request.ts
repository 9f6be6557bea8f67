import Type, { type Static } from 'typebox';
import { limits } from '../../domain/limits.ts';
import { flag, id, nullableObject, nullableText, oneOf, resourceIdentifier, text } from '../../schemas/parts.ts';

const key = text(limits.variableKeyAsSent, {
  description: `Unique among the workspace's variables of its category. At most ${limits.variableKey} characters, not counting blanks around it, which are taken off.`,
});
const category = oneOf(['infra', 'env', 'terraform'], {
  description: 'For the infrastructure tool itself, or for its environment. `terraform` is another name of `infra`.',
});
const others = {
  value: Type.Optional(
    nullableText(limits.variableValue, {
      description: `At most ${limits.variableValue} bytes. Empty at first; null is as good as left out.`,
    }),
  ),
  description: Type.Optional(nullableText(limits.variableDescription)),
  hcl: flag('Whether the value is code to be evaluated; false at first. Of no effect in the environment.'),
  sensitive: flag('Whether the value can be replaced, but never read again; false at first. It cannot be taken back.'),
};
const variableAttributes = Type.Object({ key: Type.Optional(key), category: Type.Optional(category), ...others });

const named = Type.Optional(nullableObject({ name: Type.Optional(nullableText(limits.id)) }));
const example = { key: 'region', value: 'eu-central-1', category: 'infra' };

const newVariable = Type.Object(
  {
    data: Type.Object({
      type: oneOf(['vars']),
      attributes: Type.Object({ key, category, ...others }),
      relationships: Type.Optional(
        nullableObject({ workspace: Type.Optional(nullableObject({ data: Type.Optional(resourceIdentifier) })) }),
      ),
    }),
    filter: Type.Optional(
      nullableObject(
        { workspace: named, organization: named },
        { description: 'By its names, the workspace that the relationship would name.', deprecated: true },
      ),
    ),
  },
  {
    examples: [
      {
        data: {
          type: 'vars',
          attributes: example,
          relationships: { workspace: { data: { type: 'workspaces', id: 'ws-CvpbqPPtsWSnyrTk' } } },
        },
      },
    ],
  },
);

const newWorkspaceVariable = Type.Object(
  { data: Type.Object({ type: oneOf(['vars']), attributes: Type.Object({ key, category, ...others }) }) },
  { examples: [{ data: { type: 'vars', attributes: example } }] },
);

const variable = Type.Object(
  {
    data: Type.Object({
      type: oneOf(['vars']),
      id: Type.Optional(id),
      attributes: Type.Optional(variableAttributes),
    }),
  },
  { examples: [{ data: { type: 'vars', attributes: { value: 'eu-west-1' } } }] },
);

export const variableBodies = { newVariable, newWorkspaceVariable, variable };

export type VariableAttributes = Static<typeof variableAttributes>;
