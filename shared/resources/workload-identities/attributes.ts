import { limits, MIN_WORKLOAD_MINUTES } from '../../domain/limits.ts';
import { patterns } from '../../schemas/patterns.ts';
import { count, flag, list, object, openObject, optional, text, time } from '../../schemas/schema.ts';
import { type AttributeTable, mapRequest, type RequestAttributes } from '../attribute-table.ts';

const claim = text('JSON pointer to a claim.', {
  maxLength: limits.workloadValue,
  minLength: 1,
  examples: ['/repository_id'],
});
const value = text(undefined, { maxLength: limits.workloadValue, minLength: 1 });
const values = list(value, 'The claim has one of these values.', { maxItems: limits.workloadValues, minItems: 1 });
const pattern = text('The claim matches this pattern, in which `*` stands for any characters except `/` and `:`.', {
  maxLength: limits.workloadValue,
  minLength: 1,
});

const example = [{ claim: '/repository_id', equals: ['456789'] }];

/** The attributes of a workload identity (WI-1). */
export const attributes = {
  name: {
    offer: { required: true },
    request: text(undefined, {
      maxLength: limits.recordName,
      minLength: 1,
      pattern: patterns.shownName,
      examples: ['deploy-network'],
    }),
    response: text(),
  },
  issuer: {
    offer: { required: true },
    request: text('URL of the issuer, exactly as the claim `iss` of its tokens has it.', {
      maxLength: limits.workloadValue,
      minLength: 1,
      examples: ['https://token.actions.githubusercontent.com'],
    }),
    response: text('URL of the issuer.', { examples: ['https://token.actions.githubusercontent.com'] }),
  },
  audience: {
    request: text('Audience of the identity tokens; the origin of this service if omitted.', {
      maxLength: limits.workloadValue,
      minLength: 1,
      examples: ['https://holdfast.example.com'],
    }),
    response: text('Audience that identity tokens must have.', { examples: ['https://holdfast.example.com'] }),
  },
  conditions: {
    offer: { required: true },
    request: list(
      openObject({ claim, equals: optional(values), matches: optional(pattern) }),
      'Conditions on claims, all of which an identity token must meet. Each has either `equals` or `matches`.',
      { maxItems: limits.workloadConditions, examples: [example] },
    ),
    response: list(object({ claim, equals: optional(values), matches: optional(pattern) }), 'Conditions on claims.', {
      examples: [example],
    }),
  },
  'lifetime-minutes': {
    request: count('Lifetime of the tokens, in minutes; 60 if omitted.', {
      minimum: MIN_WORKLOAD_MINUTES,
      maximum: limits.workloadMinutes,
    }),
    response: count('Lifetime of the tokens, in minutes.'),
  },
  enabled: {
    request: flag('False: no tokens are given, and those that were given are revoked. True if omitted.'),
    response: flag('Whether tokens are given.'),
  },
  'created-at': { response: time() },
} as const satisfies AttributeTable;

/** Maps the attributes of a workload identity in a request to the domain. An omitted attribute is absent from the result. */
export const workloadIdentityRequest = (given: RequestAttributes<typeof attributes>) =>
  mapRequest(attributes, given, {});
