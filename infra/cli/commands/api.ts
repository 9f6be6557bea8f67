import type { ApiRequest } from '../../../shared/client/request.ts';
import type { Reply } from '../../../shared/client/send.ts';
import { BASE_PATH } from '../../../shared/routes/api.ts';
import { findRoute, type Route, type RouteId, routeIds, routes } from '../../../shared/routes/index.ts';
import { command, type Group } from '../command.ts';
import { usageError } from '../failure.ts';
import { readInput } from '../input.ts';
import type { Invocation } from '../invocation.ts';
import { argument, flag, type Parameter, text, texts } from '../parameters.ts';
import { agentPools } from './agent-pools.ts';
import { projects } from './project-rows.ts';
import { sshKeys } from './ssh-keys.ts';
import { teams } from './teams.ts';
import { variableSets } from './variable-sets.ts';

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const;
type Method = (typeof methods)[number];

const methodArgument: Parameter<Method> = {
  ...argument(`${methods.join(', ')}.`),
  choices: methods,
  parse: (value) => {
    const method = methods.find((name) => name === value.toUpperCase());
    if (method === undefined) throw usageError(`"${value}" is none of ${methods.join(', ')}.`);
    return method;
  },
  fallback: undefined,
};

const paths = [...new Set(routeIds.map((id) => routes[id].path))].flatMap((path) =>
  path.startsWith(`${BASE_PATH}/`) ? [path.slice(BASE_PATH.length + 1)] : [],
);

const pathArgument: Parameter<string> = {
  ...argument(`Path with its query, below ${BASE_PATH}. {workspace} stands for the id that -p workspace=NAME names.`, {
    complete: async () => paths,
  }),
  parse: (value) => {
    // The token must not reach another host.
    if (/^(\w+:)?\/\//.test(value))
      throw usageError(`"${value}" is not a path.`, `Leave out the host and ${BASE_PATH}.`);
    return value.replace(/^\/+/, '').replace(/^api\/v2\//, '');
  },
};

/** Splits `KEY=VALUE`. */
const split = (pair: string): readonly [key: string, value: string] => {
  const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
  if (key === '') throw usageError(`"${pair}" is not KEY=VALUE.`);
  return [key, value];
};

const pairs = (summary: string, short: string): Parameter<readonly (readonly [string, string])[]> => ({
  ...texts(summary, 'KEY=VALUE'),
  parse: (value) => [split(value)],
  fallback: [],
  short,
});

/** Kinds of resources whose names `-p` resolves. Other values are ids. */
const finders: Readonly<Record<string, (invocation: Invocation, name: string) => Promise<string>>> = {
  workspace: async ({ workspace }, name) => (await workspace(name)).id,
  ...Object.fromEntries([projects, teams, variableSets, agentPools, sshKeys].map(({ noun, findId }) => [noun, findId])),
};

/** Returns the name of a placeholder without the suffix that it has in the table of endpoints, such as `{workspace_id}`. */
const toKind = (placeholder: string): string => placeholder.replaceAll('_', '-').replace(/-(id|name)$/, '');

/** Replaces the placeholders of a path. @throws Failure `usage` for one without a value, and for a value without one. */
const fillPath = async (
  invocation: Invocation,
  path: string,
  given: readonly (readonly [string, string])[],
): Promise<string> => {
  const values = new Map(given.map(([name, value]) => [toKind(name), value]));
  let filled = '';
  for (const part of path.split(/(\{[^{}]*\})/)) {
    const [, placeholder] = /^\{(.*)\}$/.exec(part) ?? [];
    if (placeholder === undefined) {
      filled += part;
      continue;
    }
    const kind = toKind(placeholder);
    const value = values.get(kind) ?? (kind === 'organization' ? await invocation.organization() : undefined);
    if (value === undefined) throw usageError(`{${placeholder}} has no value.`, `Add -p ${kind}=NAME.`);
    filled += encodeURIComponent((await finders[kind]?.(invocation, value)) ?? value);
    values.delete(kind);
  }
  const [unused] = values.keys();
  if (unused !== undefined) throw usageError(`The path has no {${unused}}.`);
  return filled;
};

/** Reads the value of a field: JSON where it is JSON, otherwise a text. */
const parseValue = (value: string): unknown => {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
};

/** Returns the type of the resource that a route changes: the last collection in its path. */
const typeOf = (path: string): string | undefined =>
  path.split('/').findLast((segment) => !segment.startsWith('{') && segment.endsWith('s'));

/** Builds the body with the attributes of the user. */
const toBody = (route: Route | undefined, fields: readonly (readonly [string, string])[]) => {
  const type = route && typeOf(route.path);
  const attributes = Object.fromEntries(fields.map(([name, value]) => [name, parseValue(value)]));
  return { data: { ...(type !== undefined && { type }), attributes } };
};

const parseBody = (input: Buffer): unknown => {
  try {
    return JSON.parse(input.toString());
  } catch {
    throw usageError(`The body is not complete JSON (${input.length} bytes).`);
  }
};

interface PageDocument {
  readonly data?: unknown;
  readonly included?: readonly { readonly type: string; readonly id: string }[];
  readonly links?: { readonly next?: string | null };
}

/** Returns the path of the next page. Its host is ignored, so that the token reaches no other one. */
const nextUrl = ({ links }: PageDocument): string | undefined => {
  if (!links?.next) return undefined;
  const { pathname, search } = new URL(links.next, 'https://unused');
  return pathname + search;
};

/** Prints the resources of all pages as one document, as they arrive. */
async function* printPages({ api }: Invocation, first: ApiRequest): AsyncGenerator<string> {
  const included = new Map<string, unknown>();
  let separator = '{"data":[\n';
  for (let url: string | undefined = withPageSize(first.url); url !== undefined; ) {
    const { document }: Reply<PageDocument> = await api.send({ method: 'GET', url });
    if (!Array.isArray(document?.data)) throw usageError('--all is for lists.');
    for (const resource of document.data) {
      yield separator + JSON.stringify(resource);
      separator = ',\n';
    }
    for (const resource of document.included ?? []) included.set(`${resource.type} ${resource.id}`, resource);
    url = nextUrl(document);
  }
  yield separator.startsWith('{') ? '{"data":[' : '\n';
  yield included.size === 0 ? ']}\n' : `],"included":${JSON.stringify([...included.values()])}}\n`;
}

/** Requests the largest pages, unless the user has chosen their size. */
const withPageSize = (url: string): string =>
  /[?&]page(\[|%5B)size/i.test(url) ? url : `${url}${url.includes('?') ? '&' : '?'}page%5Bsize%5D=100`;

const BY_ID = 'Commands find the id first, and use the route by id.';
const OF_HCP = 'A second form of another route, for clients of HCP Terraform.';
const LOGIN = 'terraform login opens it in a browser.';
const SESSIONS = 'Sessions begin in the console, which shows and ends them.';
const FILE = 'A file of the service that is no part of the API.';

/** Routes without a command of their own, with the reason. Those of the API can be requested with `api`. */
export const apiOnly: Partial<Readonly<Record<RouteId, string>>> = {
  'workspaces.update-by-name': BY_ID,
  'workspaces.safe-delete-by-name': BY_ID,
  'workspaces.force-delete-by-name': BY_ID,
  'recoverable-items.list': OF_HCP,
  'recoverable-items.recover': OF_HCP,
  'recoverable-items.permanently-delete': OF_HCP,
  'workspace-tags.list': '"ws show" has the tags.',
  'tag-bindings.list-related': OF_HCP,
  'tag-bindings.add-related': OF_HCP,
  'tags.add-to-workspaces': 'It takes the id of a tag. "ws tag add" takes names.',
  'retention-policies.replace': OF_HCP,
  'default-retention-policies.replace': OF_HCP,
  'variables.list': OF_HCP,
  'variables.create': OF_HCP,
  'variables.update': OF_HCP,
  'variables.delete': OF_HCP,
  'applicable-varsets.list': 'It offers sets to assign. "varset list" lists all sets.',
  'configuration-versions.show': 'Runs create configuration versions, and nobody changes them.',
  'configuration-versions.ingress-attributes': 'Runs create configuration versions, and nobody changes them.',
  'organizations.entitlements': OF_HCP,
  'organizations.statistics':
    'The home of an organization in the console shows them. "ws list" counts what a filter finds.',
  'memberships.list-own': '"org list" lists the organizations of the caller.',
  'users.update-account': 'An account is rarely changed.',
  'users.show': '"member show" names the user.',
  'projects.move-workspaces': 'A workspace moves with "ws edit".',
  'projects.list-related-bindings': OF_HCP,
  'projects.add-related-bindings': OF_HCP,
  'projects.list-effective-bindings': '"project show" has the tags.',
  'sessions.list': SESSIONS,
  'sessions.delete': SESSIONS,
  'linked-identities.list': SESSIONS,
  'sign-in.providers': 'The sign-in page of the console needs it.',
  'oauth2.authorize': LOGIN,
  'oauth2.show-consent': LOGIN,
  'oauth2.consent': LOGIN,
  'oauth2.show-device': LOGIN,
  'oauth2.decide-device': LOGIN,
  'sign-in.start': 'Browsers open it.',
  'sign-in.callback': 'Browsers open it.',
  'sign-in.session': 'The credential is a cookie of the console.',
  'sign-in.link': 'The link of the console is the credential.',
  'sign-in.end': 'The credential is a cookie of the console.',
  'sign-in.logout': 'Identity providers request it.',
  'oauth2.revoke': 'Pipelines request it without a token.',
  'agents.list': 'The list is always empty, because no agent connects.',
  'oauth-clients.add-projects': '"vcs edit --projects" sets all of them.',
  'oauth-clients.remove-projects': '"vcs edit --projects" sets all of them.',
  'oauth-tokens.list': '"vcs list" has the ids of the tokens.',
  'oauth-tokens.list-of-client': '"vcs list" has the ids of the tokens.',
  'oauth-tokens.show': '"vcs list" has the ids of the tokens.',
  'organization-token.delete': '"token delete" takes the id of the token.',
  'team-token.create': 'It replaces the only token without a description. "token create" adds one.',
  'team-token.show': '"token list" has it.',
  'team-token.delete': '"token delete" takes the id of the token.',
  'state-versions.outputs': '"state outputs" reads the current state; outputs of older ones are in "state pull".',
  'state-versions.json-download': 'Only some clients upload the JSON form. "state pull" downloads the state itself.',
  'audit-trail.list': 'For log collectors, which have an audit trails token.',
  'documentation.openapi': FILE,
  'documentation.page': FILE,
  'documentation.command-line': FILE,
};

/** Requests to any route. */
export const apiCommands: Group = {
  title: 'API',
  commands: [
    command({
      name: 'api',
      summary: 'Send a request to any endpoint and print the JSON document of the response',
      description:
        'The table of endpoints in the documentation lists the paths. {organization} is the organization of the command. Values of -f are JSON where they are JSON, such as true, 5 or ["a"], and texts otherwise; write -f \'version="1.9"\' for a text that looks like a number. Arguments are visible to other users of the computer: pass secrets by --input.',
      arguments: { method: methodArgument, path: pathArgument },
      flags: {
        param: pairs(
          'Value of a placeholder. Names of a workspace, project, team, varset, agent-pool or ssh-key become ids.',
          'p',
        ),
        field: pairs('Attribute of the resource in the body.', 'f'),
        input: text('Read the body from this file, or from standard input if it is "-".', 'FILE'),
        all: flag('Print the resources of all pages of a list.'),
      },
      routes: routeIds,
      result: { kind: 'bytes' },
      examples: [
        'api GET organizations/{organization}/workspaces --all',
        'api PATCH workspaces/{workspace} -p workspace=network -f auto-apply=true',
        'api POST workspaces/{workspace}/vars -p workspace=network --input variable.json',
        "api GET 'workspaces/{workspace}/history?filter[action]=workspace.locked' -p workspace=network",
      ],
      async *run(invocation, { method, path }, { param, field, input, all }) {
        const hasBody = field.length > 0 || input !== undefined;
        if (field.length > 0 && input !== undefined) throw usageError('-f and --input exclude each other.');
        if (method === 'GET' && hasBody) throw usageError('A GET request has no body.', 'Write filters into the path.');
        if (method !== 'GET' && all) throw usageError('--all is for GET requests.');
        const given = input === undefined ? undefined : parseBody(await readInput(invocation.io, input));
        const url = `${BASE_PATH}/${await fillPath(invocation, path, param)}`;
        const found = findRoute(method, url.replace(/\?.*$/s, ''));
        const route: Route | undefined = found && routes[found.id];
        const isRedirected = route?.status === 307;
        const request: ApiRequest = {
          method,
          url,
          ...(hasBody && { body: given ?? toBody(route, field) }),
          // The value of a variable or a key in a file can be a secret.
          ...(input !== undefined && { secrets: ['value', 'oauth-token-string'] }),
          isRedirected,
        };
        if (isRedirected) return yield* invocation.api.download(request);
        if (all) return yield* printPages(invocation, request);
        const { document } = await invocation.api.send(request);
        if (document !== undefined) yield `${JSON.stringify(document, null, 2)}\n`;
      },
    }),
  ],
};
