import { showAccount } from '../../../shared/client/organizations.ts';
import { type ApiRequest, apiRequest } from '../../../shared/client/request.ts';
import { type OrganizationTokenKind, showOrganizationToken } from '../../../shared/client/tokens.ts';
import type { DocumentOf, Schemas } from '../../../shared/client/types.ts';
import { type Api, pageQuery } from '../api.ts';
import { command, type Group } from '../command.ts';
import { everyOf } from '../every-of.ts';
import { explainNotFound, Failure, usageError } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import { attributesOf, defineView, flatten, type Row } from '../output/view.ts';
import { choice, filter, filters, flag, futureTime, text, type ValuesOf } from '../parameters.ts';
import { defineKind, deleteCommand, type ListQuery, showCommand } from '../resource-commands.ts';
import { isSet } from '../settings.ts';
import { agentPools } from './agent-pools.ts';
import { teams } from './teams.ts';

const OF_USER = '/api/v2/users/{user_id}/authentication-tokens';
const OF_TEAM = '/api/v2/teams/{team_id}/authentication-tokens';
const OF_POOL = '/api/v2/agent-pools/{agent_pool_id}/authentication-tokens';
const OF_ORGANIZATION = '/api/v2/organizations/{organization_name}/authentication-token';
const OF_TEAMS = '/api/v2/organizations/{organization_name}/team-tokens';
const ONE = '/api/v2/authentication-tokens/{token_id}';

type Token = Schemas['AuthenticationToken'];

/** Returns the id of the user of the token in use. @throws Failure `notFound` if it is the token of a team, for example. */
const findUser = async ({ api }: Invocation): Promise<string> => {
  const { document } = await explainNotFound(
    api.lookUp(showAccount()),
    'The token in use belongs to no user. Add --team NAME, --agent-pool NAME or --organization.',
  );
  return document.data.id;
};

const attributes = attributesOf<Token>()('description', 'created-at', 'last-used-at', 'expired-at');
const fields = ['created-by-id', 'team-id', ...attributes];
const listView = defineView(['id', 'description', 'team', 'expired-at'], fields);

const tokens = defineKind({
  noun: 'token',
  labels: ['a token', 'tokens'],
  view: defineView(['id', 'description', 'created-at', 'expired-at'], fields),
  details: ['created-by-id', 'team-id'],
  isId: () => true,
  accepts: 'Id',
  scope: findUser,
  list: (user, query: ListQuery<typeof OF_USER>) => apiRequest('get', OF_USER, { path: { user_id: user }, query }),
  show: (id) => apiRequest('get', ONE, { path: { token_id: id } }),
  routes: { list: 'user-tokens.list', show: 'tokens.show' },
});

const ownerFlags = {
  team: text('Of this team.', 'NAME', teams.argument.complete),
  'agent-pool': text('Of this agent pool.', 'NAME', agentPools.argument.complete),
};

/** Requires that at most one flag names an owner. */
const requireOneOwner = (owners: Readonly<Record<string, unknown>>): void => {
  const [one, other] = Object.keys(owners).filter((name) => owners[name] !== undefined && owners[name] !== false);
  if (other !== undefined) throw usageError(`--${one} and --${other} exclude each other.`);
};

type TeamTokensQuery = ListQuery<typeof OF_TEAMS, never, 'sort'>;

const teamTokensFlags = {
  search: filter('With --all-teams: only of teams whose names contain this text.', 'TEXT'),
  'expiry-status': filters(
    'With --all-teams: only active, expired, expiring_in_7_days, expiring_in_30_days or no_expiration.',
    'STATUS',
  ),
  sort: choice(
    'With --all-teams: order. A hyphen means descending. Default: the oldest first.',
    everyOf<NonNullable<TeamTokensQuery['sort']>>()(
      'team-name',
      '-team-name',
      'created-by',
      '-created-by',
      'expired-at',
      '-expired-at',
      'last-used-at',
      '-last-used-at',
    ),
    'ORDER',
  ),
};

/** Lists the tokens of all teams, with the names of the teams. */
async function* listAllTeams(
  invocation: Invocation,
  { search, 'expiry-status': statuses, sort }: ValuesOf<typeof teamTokensFlags>,
): AsyncGenerator<Row> {
  const { api } = invocation;
  const path = { organization_name: await invocation.organization() };
  const filters = {
    ...(search !== undefined && { q: search }),
    ...(statuses.length > 0 && { 'filter[expiry_status]': statuses.join(',') }),
    ...(sort !== undefined && { sort }),
  };
  const names = await teams.names(invocation);
  for await (const document of api.pages((number) =>
    apiRequest('get', OF_TEAMS, { path, query: { ...filters, ...pageQuery(number) } }),
  )) {
    for (const token of document.data) {
      const team = token.relationships.team?.data.id;
      yield { ...flatten(token), team: names.get(team ?? '') ?? team };
    }
  }
}

/** Opens the list of the tokens of a team, an agent pool or the caller. */
const openList = async (
  invocation: Invocation,
  { team, 'agent-pool': pool }: ValuesOf<typeof ownerFlags>,
): Promise<(number: number) => ApiRequest<DocumentOf<'get', typeof OF_USER>>> => {
  if (team !== undefined) {
    const path = { team_id: await teams.findId(invocation, team) };
    return (number) => apiRequest('get', OF_TEAM, { path, query: pageQuery(number) });
  }
  if (pool !== undefined) {
    const path = { agent_pool_id: await agentPools.findId(invocation, pool) };
    return (number) => apiRequest('get', OF_POOL, { path, query: pageQuery(number) });
  }
  const path = { user_id: await findUser(invocation) };
  return (number) => apiRequest('get', OF_USER, { path, query: pageQuery(number) });
};

const kinds: readonly OrganizationTokenKind[] = ['ordinary', 'audit-trails'];

/** Finds the token of an organization. @returns undefined if it has none of that kind. */
const findOrganizationToken = async (send: Api['send'], organization: string, kind: OrganizationTokenKind) => {
  try {
    return (await send(showOrganizationToken(organization, kind))).document.data;
  } catch (error) {
    if (error instanceof Failure && error.details.status === 404) return undefined;
    throw error;
  }
};

/** Requires a confirmation before the token of an organization is replaced. */
const confirmReplacement = async (
  { api, confirm }: Invocation,
  name: string,
  kind: OrganizationTokenKind,
  yes: boolean,
) => {
  if ((await findOrganizationToken(api.lookUp, name, kind)) === undefined) return;
  await confirm({ sentence: `Replaces the token of the organization ${name}, which is revoked.`, name, yes });
};

interface NewToken {
  readonly owners: ValuesOf<typeof ownerFlags>;
  /** Kind of the token of the organization; undefined if it is of another owner. */
  readonly kind: OrganizationTokenKind | undefined;
  readonly body: Schemas['TokenBody'];
  readonly yes: boolean;
}

type CreatedToken = ApiRequest<{ readonly data: Schemas['NewAuthenticationToken'] }>;

/** Describes the creation of a token. */
const toCreation = async (invocation: Invocation, { owners, kind, body, yes }: NewToken): Promise<CreatedToken> => {
  const { team, 'agent-pool': pool } = owners;
  if (kind !== undefined) {
    const organization = await invocation.organization();
    await confirmReplacement(invocation, organization, kind, yes);
    return apiRequest('post', OF_ORGANIZATION, {
      path: { organization_name: organization },
      ...(kind !== 'ordinary' && { query: { token: kind } }),
      body,
    });
  }
  if (team !== undefined) {
    return apiRequest('post', OF_TEAM, { path: { team_id: await teams.findId(invocation, team) }, body });
  }
  if (pool !== undefined) {
    return apiRequest('post', OF_POOL, { path: { agent_pool_id: await agentPools.findId(invocation, pool) }, body });
  }
  return apiRequest('post', OF_USER, { path: { user_id: await findUser(invocation) }, body });
};

/** Sends the creation of a token. If its response was lost, nobody can see the text any more (HTTP-40). */
const sendCreation = async ({ api }: Invocation, request: CreatedToken) => {
  try {
    return (await api.send(request)).document.data;
  } catch (error) {
    const { id } = (error instanceof Failure && (error.details.meta as { readonly id?: string } | undefined)) || {};
    if (id === undefined) throw error;
    const { details } = error as Failure;
    throw new Failure('failed', `The token ${id} was created, but the response with its text was lost.`, {
      ...details,
      hint: `Run "holdfast token delete ${id}", and create another one.`,
    });
  }
};

/** Tokens (docs/reference/authentication.md). */
export const tokenCommands: Group = {
  title: 'Tokens',
  commands: [
    command({
      name: 'token list',
      summary: 'List tokens, by default your own',
      description: 'No command prints the text of a token, except the one that creates it.',
      flags: {
        ...ownerFlags,
        'all-teams': flag('Of all teams of the organization.'),
        organization: flag('Of the organization.'),
        ...teamTokensFlags,
      },
      routes: [
        'users.account',
        'user-tokens.list',
        ...teams.findRoutes,
        'team-tokens.list',
        'organization-team-tokens.list',
        'agent-pools.list',
        'agent-pool-tokens.list',
        'organization-token.show',
      ],
      result: { kind: 'list', view: listView },
      examples: [
        'token list',
        'token list --team builders',
        'token list --all-teams --expiry-status expiring_in_30_days',
      ],
      async *run(invocation, _, { search, 'expiry-status': statuses, sort, ...owners }) {
        const { api } = invocation;
        requireOneOwner(owners);
        const { team, 'all-teams': isOfTeams, organization: isOfOrganization } = owners;
        if (isOfTeams) return yield* listAllTeams(invocation, { search, 'expiry-status': statuses, sort });
        if ([search, statuses, sort].some(isSet)) {
          throw usageError('--search, --expiry-status and --sort are for --all-teams.');
        }
        if (isOfOrganization) {
          const name = await invocation.organization();
          for (const kind of kinds) {
            const token = await findOrganizationToken(api.send, name, kind);
            if (token !== undefined) yield flatten(token);
          }
          return;
        }
        for await (const { data } of api.pages(await openList(invocation, owners))) {
          yield* data.map((token) => ({ ...flatten(token), team }));
        }
      },
    }),
    showCommand(tokens, 'at-CvpbqPPtsWSnyrTk'),
    command({
      name: 'token create',
      summary: 'Create a token, by default of your own, and print it once',
      description:
        'The token is the only thing on standard output. The organization has one token of each kind: a new one replaces it.',
      flags: {
        ...ownerFlags,
        organization: flag('Of the organization, in place of its present token.'),
        'audit-trails': flag('Of the organization, only to read its audit trail, in place of the present one.'),
        description: text('What it is for. Agent pools require it.', 'TEXT'),
        expires: futureTime(
          'When it expires: 30d, 2027-01-31 or 2027-01-31T08:00:00Z. Default: never, or the limit of the organization.',
        ),
        yes: flag('Do not ask for confirmation before a token is replaced.'),
      },
      routes: [
        'users.account',
        'user-tokens.create',
        'teams.list',
        'team-tokens.create',
        'agent-pools.list',
        'agent-pool-tokens.create',
        'organization-token.show',
        'organization-token.create',
      ],
      result: { kind: 'text', view: defineView(['token'], ['id', ...fields]), field: 'token' },
      examples: [
        'token create --description laptop --expires 90d',
        'token create --team builders --description pipeline',
        'token create --organization --json=id,token',
      ],
      run: async (invocation, _, { description, expires, yes, ...owners }) => {
        requireOneOwner(owners);
        const { organization: isOrdinary, 'audit-trails': isForAuditTrail } = owners;
        const request = await toCreation(invocation, {
          owners,
          kind: isOrdinary ? 'ordinary' : isForAuditTrail ? 'audit-trails' : undefined,
          body: {
            data: {
              attributes: {
                ...(description !== undefined && { description }),
                ...(expires !== undefined && { 'expired-at': new Date(expires).toISOString() }),
              },
            },
          },
          yes,
        });
        const token = await sendCreation(invocation, request);
        const expiry = token.attributes['expired-at'];
        invocation.note(
          `Created the token ${token.id}, which ${expiry === null ? 'never expires' : `expires at ${expiry}`}.`,
        );
        return flatten(token);
      },
    }),
    deleteCommand(tokens, {
      description: 'Nobody can use it any more. Some functions of the service accept it for 5 more seconds.',
      route: 'tokens.delete',
      example: 'at-CvpbqPPtsWSnyrTk',
      toRequest: (id, ifMatch) => apiRequest('delete', ONE, { path: { token_id: id } }, { ifMatch }),
    }),
  ],
};
