import { apiRequest } from '../../../shared/client/request.ts';
import type { Schemas } from '../../../shared/client/types.ts';
import {
  type ClaimCondition,
  createWorkloadIdentity,
  deleteWorkloadIdentity,
  showWorkloadIdentity,
  testIdentityToken,
  updateWorkloadIdentity,
  type WorkloadIdentity,
  type WorkloadScope,
} from '../../../shared/client/workload-identities.ts';
import { command, type Group } from '../command.ts';
import { exitCodes, usageError } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import { attributesOf, defineView, flatten } from '../output/view.ts';
import { count, type Parameter, required, text, texts, truth, type ValuesOf } from '../parameters.ts';
import { readSecret, secretFile } from '../read-secret.ts';
import {
  createCommand,
  defineKind,
  deleteCommand,
  editCommand,
  identify,
  idsWith,
  type ListQuery,
  listCommand,
  searchFlag,
  showCommand,
  toSearch,
} from '../resource-commands.ts';
import { given, type Settings } from '../settings.ts';
import { projects } from './project-rows.ts';
import { teams } from './teams.ts';
import { workspaceArgument } from './workspace-rows.ts';

const LIST = '/api/v2/organizations/{organization_name}/workload-identities';

const idsOf = (relationship: { readonly data: readonly { readonly id: string }[] } | undefined) =>
  relationship?.data.map(({ id }) => id) ?? null;

const identities = defineKind({
  noun: 'workload-identity',
  labels: ['a workload identity', 'workload identities'],
  view: defineView(
    ['name', 'issuer', 'requires', 'enabled'],
    [
      'id',
      'organization-id',
      'team-id',
      'project-ids',
      'workspace-ids',
      ...attributesOf<WorkloadIdentity>()(
        'name',
        'issuer',
        'audience',
        'conditions',
        'lifetime-minutes',
        'enabled',
        'created-at',
      ),
    ],
  ),
  details: ['audience', 'team-id', 'project-ids', 'workspace-ids', 'lifetime-minutes', 'id'],
  toRow: (identity: WorkloadIdentity) => ({
    ...flatten(identity),
    requires: identity.attributes.conditions.map(({ claim, equals, matches }) =>
      equals === undefined ? `${claim} matches ${matches}` : `${claim} is ${equals.join(' or ')}`,
    ),
    'project-ids': idsOf(identity.relationships.projects),
    'workspace-ids': idsOf(identity.relationships.workspaces),
  }),
  isId: idsWith('wi'),
  list: (organization, query: ListQuery<typeof LIST>) =>
    apiRequest('get', LIST, { path: { organization_name: organization }, query }),
  show: showWorkloadIdentity,
  routes: { list: 'workload-identities.list', show: 'workload-identities.show' },
});

/** A claim with a value or a pattern. */
type ClaimText = readonly [claim: string, text: string];

const claims = (summary: string, placeholder: string): Parameter<readonly ClaimText[]> => ({
  ...texts(summary, placeholder),
  parse: (value) => {
    const [, claim, content] = /^(\/[^=]*)=(.+)$/s.exec(value) ?? [];
    if (claim === undefined || content === undefined) {
      throw usageError(`"${value}" is not ${placeholder}.`, 'A claim is a JSON pointer such as /repository_id.');
    }
    return [[claim, content]];
  },
  fallback: [],
});

const conditionFlags = {
  equals: claims('The claim has this value. Several values of one claim are alternatives.', 'CLAIM=VALUE'),
  matches: claims('The claim matches this pattern. * stands for any characters except / and :.', 'CLAIM=PATTERN'),
};

/** Returns the conditions that the user has named. */
const toConditions = ({ equals, matches }: ValuesOf<typeof conditionFlags>): ClaimCondition[] => [
  ...[...Map.groupBy(equals, ([claim]) => claim)].map(([claim, values]) => ({
    claim,
    equals: values.map(([, value]) => value),
  })),
  ...matches.map(([claim, pattern]) => ({ claim, matches: pattern })),
];

const scopeFlags = {
  projects: texts('Project to which its tokens are limited.', 'NAME', projects.argument.complete),
  workspaces: texts('Workspace to which its tokens are limited.', 'NAME', workspaceArgument.complete),
};

/** Returns the lists of the scope that the user has set or unset; undefined without one. */
const toScope = async (
  invocation: Invocation,
  names: ValuesOf<typeof scopeFlags>,
  unset: { readonly [N in keyof WorkloadScope]?: readonly never[] } = {},
): Promise<Partial<WorkloadScope> | undefined> => {
  const find = {
    projects: (name: string) => projects.findId(invocation, name),
    workspaces: async (name: string) => (await invocation.workspace(name)).id,
  };
  const scope: { -readonly [N in keyof WorkloadScope]?: WorkloadScope[N] } = { ...unset };
  for (const kind of ['projects', 'workspaces'] as const) {
    if (names[kind].length > 0) scope[kind] = (await identify(names[kind], find[kind])).map(({ id }) => id);
  }
  return Object.keys(scope).length > 0 ? scope : undefined;
};

const settings = {
  audience: text('Audience of the identity tokens. Default: the address of the service.', 'TEXT'),
  'lifetime-minutes': count('Lifetime of its tokens in minutes, from 5 to 720. Default: 60.'),
  enabled: truth('Whether pipelines get tokens. Default: true.'),
} satisfies Settings<Schemas['WorkloadIdentityBody'], 'name' | 'issuer' | 'conditions'>;

const editable = {
  name: text('New name.', 'NAME'),
  issuer: text('URL of the issuer, exactly as its tokens have it.', 'URL'),
  ...settings,
} satisfies Settings<Schemas['WorkloadIdentityUpdateBody'], 'conditions'>;

const lookups = ['projects.list', 'workspaces.show-by-name', 'workspaces.show'] as const;
const GITHUB = '--issuer https://token.actions.githubusercontent.com';

const testCommand = command({
  name: 'workload-identity test',
  summary: 'Check an identity token against a workload identity, and show the result of each check',
  description:
    'The token comes from --file or standard input. It is checked as in an exchange, which creates nothing. The last line says whether an exchange would succeed.',
  arguments: { name: identities.argument },
  flags: { file: secretFile('identity token') },
  routes: ['workload-identities.list', 'workload-identities.test'],
  result: { kind: 'list', view: defineView(['check', 'met', 'expected', 'actual']) },
  examples: ['workload-identity test deploy --file token.txt', 'workload-identity test deploy < token.txt'],
  errors: { partial: 'An exchange would be refused.' },
  async *run(invocation, { name }, { file }) {
    const id = await identities.findId(invocation, name);
    const token = (await readSecret(invocation, 'identity token', file)).trim();
    const { document } = await invocation.api.send(testIdentityToken(id, token));
    const { accepted, message, checks } = document.data.attributes;
    for (const { subject, met, expected, actual } of checks) yield { check: subject, met, expected, actual };
    yield { check: 'exchange', met: accepted, expected: 'an accepted token', actual: message ?? 'accepted' };
    return accepted ? exitCodes.done : exitCodes.partial;
  },
});

/** Workload identities (docs/reference/workload-identities.md). */
export const workloadIdentityCommands: Group = {
  title: 'Workload identities',
  commands: [
    listCommand(identities, { flags: searchFlag, toQuery: toSearch }),
    showCommand(identities, 'deploy'),
    createCommand(identities, {
      description:
        'Pipelines that meet all conditions get tokens that act as the team. Without --projects and --workspaces, they reach everything that the team has access to.',
      flags: {
        issuer: required(text('URL of the issuer, exactly as its tokens have it.', 'URL')),
        team: required(text('Team as which its tokens act.', 'NAME', teams.argument.complete)),
        ...conditionFlags,
        ...scopeFlags,
        ...settings,
      },
      route: 'workload-identities.create',
      lookups: ['teams.list', ...lookups],
      examples: [
        `deploy ${GITHUB} --team builders --equals /repository_id=456789 --matches /ref=refs/heads/main`,
        'deploy --issuer https://gitlab.com --team builders --equals /project_id=123 --workspaces network',
      ],
      toRequest: async ({ issuer, team, ...values }, { invocation, organization, name }) =>
        createWorkloadIdentity(
          organization,
          { name, issuer, conditions: toConditions(values), ...given(settings, values) },
          await teams.findId(invocation, team),
          await toScope(invocation, values),
        ),
    }),
    editCommand(identities, {
      description:
        'Conditions, and the lists of projects and workspaces, replace the present ones. A change of the issuer, the audience, the conditions or these lists ends its tokens, and so does disabling it.',
      flags: { ...editable, ...conditionFlags, ...scopeFlags },
      emptyValues: { projects: [], workspaces: [] },
      route: 'workload-identities.update',
      lookups,
      examples: ['deploy --equals /repository_id=456789 --equals /repository_id=456790', 'deploy --enabled false'],
      toRequest: async (values, { invocation, id, ifMatch, unset }) => {
        const conditions = toConditions(values);
        return updateWorkloadIdentity(
          id,
          { ...given(editable, values), ...(conditions.length > 0 && { conditions }) },
          await toScope(invocation, values, unset),
          ifMatch,
        );
      },
    }),
    deleteCommand(identities, {
      description: 'Pipelines get no tokens any more, and tokens that they have end within seconds.',
      route: 'workload-identities.delete',
      example: 'deploy',
      toRequest: deleteWorkloadIdentity,
    }),
    testCommand,
  ],
};
