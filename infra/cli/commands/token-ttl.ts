import { listTokenTtlPolicies, setTokenTtlPolicies } from '../../../shared/client/tokens.ts';
import type { Schemas } from '../../../shared/client/types.ts';
import { command, type Group } from '../command.ts';
import { usageError } from '../failure.ts';
import { formatAge } from '../output/format.ts';
import { attributesOf, defineView, flatten, type Row } from '../output/view.ts';
import { duration, type Parameter } from '../parameters.ts';
import { organizations } from './organizations.ts';

type Policy = Schemas['TokenTtlPolicy'];
type TokenType = Policy['attributes']['token-type'];

const view = defineView(
  ['token-type', 'max-ttl'],
  ['id', ...attributesOf<Policy>()('token-type', 'max-ttl-ms', 'created-at', 'updated-at')],
);

const toRow = (policy: Policy): Row => ({
  ...flatten(policy),
  'max-ttl': formatAge(policy.attributes['max-ttl-ms']),
});

type Hyphenated<T extends string> = T extends `${infer First}_${infer Rest}` ? `${First}-${Rest}` : T;

/** A flag for each type of token: one that is missing is a type error. */
const limits: Readonly<Record<Hyphenated<TokenType>, Parameter<number | undefined>>> = {
  organization: duration('Longest lifetime of the token of the organization.'),
  team: duration('Longest lifetime of tokens of teams.'),
  user: duration('Longest lifetime of tokens of users.'),
  'audit-trails': duration('Longest lifetime of the token that reads the audit trail.'),
};

/** Limits of the lifetime of tokens (docs/reference/authentication.md). */
export const tokenTtlCommands: Group = {
  title: 'Limits of the lifetime of new tokens',
  commands: [
    command({
      name: 'org token-ttl list',
      summary: 'List the longest lifetimes of new tokens of an organization',
      description: 'They are in force while max-ttl-enabled of the organization is true.',
      arguments: { organization: organizations.argument },
      routes: ['token-ttl-policies.list'],
      result: { kind: 'list', view },
      examples: ['org token-ttl list acme'],
      async *run({ api }, { organization }) {
        const { document } = await api.send(listTokenTtlPolicies(organization));
        yield* document.data.map(toRow);
      },
    }),
    command({
      name: 'org token-ttl set',
      summary: 'Set longest lifetimes of new tokens of an organization, and put the limits in force',
      description: 'Tokens that exist already stay as they are. To lift the limits: org edit --max-ttl-enabled false.',
      arguments: { organization: organizations.argument },
      flags: limits,
      routes: ['token-ttl-policies.update'],
      result: {
        kind: 'changes',
        view,
        sentence: (row) => `New tokens of the type ${row['token-type']} expire after ${row['max-ttl']} at the latest.`,
      },
      examples: ['org token-ttl set acme --user 90d --team 365d'],
      async *run({ api }, { organization }, values) {
        const policies = Object.entries(values).flatMap(([name, seconds]) =>
          seconds === undefined
            ? []
            : [{ 'token-type': name.replace('-', '_') as TokenType, 'max-ttl-ms': seconds * 1_000 }],
        );
        if (policies.length === 0) throw usageError('Name a limit.', 'Add --user 90d, for example.');
        const { document } = await api.send(setTokenTtlPolicies(organization, policies));
        const isSet = ({ attributes }: Policy): boolean =>
          policies.some((policy) => policy['token-type'] === attributes['token-type']);
        yield* document.data.filter(isSet).map(toRow);
      },
    }),
  ],
};
