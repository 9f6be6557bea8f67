import Type, { type Static, type TProperties, type TSchema } from 'typebox';
import { limitedTokenTypes } from '../domain/directory/token-ttl-policies.ts';
import { prefixes } from '../domain/ids.ts';
import { limits, MIN_LEASE_SECONDS } from '../domain/limits.ts';
import { CHALLENGE, LOGIN_CLIENT, LOGIN_PORTS, LONGEST_STATE } from '../domain/sign-in/login.ts';
import { retentionPolicyTypes } from '../domain/state-versions/retention-policy.ts';
import {
  documentWith,
  identifiers,
  listWith,
  nullableId,
  related,
  resourceIdentifier,
  toMany,
  toOne,
} from '../schemas/request-schema.ts';
import { count, exampleId, nullable, nullableObject, oneOf, text } from '../schemas/schema.ts';
import { attributes as agentPoolAttributes } from './agent-pools/attributes.ts';
import { requestAttributes, requestProperties } from './attribute-schemas.ts';
import type { AttributeTableWithSettings } from './attribute-table.ts';
import { attributes as tokenAttributes } from './authentication-tokens/attributes.ts';
import { attributes as bulkJobAttributes, skipWarned } from './bulk-jobs/attributes.ts';
import { attributes as retentionPolicyAttributes } from './data-retention-policies/attributes.ts';
import { attributes as oauthClientAttributes } from './oauth-clients/attributes.ts';
import { attributes as membershipAttributes } from './organization-memberships/attributes.ts';
import { attributes as tokenTtlPolicyAttributes } from './organization-token-ttl-policies/attributes.ts';
import { attributes as organizationAttributes } from './organizations/attributes.ts';
import { attributes as projectAttributes } from './projects/attributes.ts';
import { attributes as reservedTagKeyAttributes } from './reserved-tag-keys/attributes.ts';
import { attributes as sshKeyAttributes } from './ssh-keys/attributes.ts';
import { attributes as stateVersionAttributes } from './state-versions/attributes.ts';
import { bindingAttributes, attributes as tagAttributes } from './tags/attributes.ts';
import { attributes as teamProjectAttributes } from './team-projects/attributes.ts';
import { attributes as teamWorkspaceAttributes } from './team-workspaces/attributes.ts';
import { attributes as teamAttributes } from './teams/attributes.ts';
import { attributes as userAttributes } from './users/attributes.ts';
import { attributes as variableSetAttributes } from './variable-sets/attributes.ts';
import { attributes as variableAttributes } from './variables/attributes.ts';
import { attributes as workloadIdentityAttributes } from './workload-identities/attributes.ts';
import { attributes as identityTestAttributes } from './workload-identity-tests/attributes.ts';
import { attributes as workspaceAttributes } from './workspaces/attributes.ts';

/**
 * Builds the schema of a document with one resource, whose type, id and attributes a request may leave out.
 * @param examples attributes in examples of the document.
 * @param others schemas of the other members of the resource.
 */
const resourceDocument = <
  const T extends string,
  A extends AttributeTableWithSettings,
  M extends TProperties = Record<never, never>,
>(
  type: T,
  table: A,
  examples: readonly object[],
  others: M = {} as M,
) =>
  documentWith(
    {
      type: Type.Optional(oneOf([type])),
      id: Type.Optional(nullableId),
      attributes: Type.Optional(requestAttributes(table)),
      ...others,
    },
    ...examples.map((attributes) => ({ type, attributes })),
  );

/**
 * Builds the schema of a body whose members clients send in one of three forms (LOCK-2): in an object, as attributes of a
 * JSON:API document of any type, or not at all.
 */
const inAnyForm = <M extends TProperties>(members: M, example: object) =>
  nullableObject(
    { ...members, data: Type.Optional(nullableObject({ attributes: Type.Optional(nullableObject(members)) })) },
    { examples: [example] },
  );

/** A tag by id or by name. Clients that send one often send the other empty (TAG-6). */
const tagElement = Type.Object({
  type: oneOf(['tags']),
  id: Type.Optional(
    nullable(text('A tag of the organization. The name is ignored if an id is sent.', { maxLength: limits.id })),
  ),
  attributes: Type.Optional(nullableObject(requestProperties(tagAttributes))),
});
const tagElements = Type.Array(tagElement, { maxItems: limits.tagElements });

const bindingElement = Type.Object({
  type: Type.Optional(oneOf(['tag-bindings'])),
  attributes: requestAttributes(bindingAttributes, ['key']),
});
const bindingElements = Type.Array(bindingElement, { maxItems: limits.tagElements });
const workspaceElement = Type.Object({ type: oneOf(['workspaces']), id: text(undefined, { maxLength: limits.id }) });
const exampleWorkspace = { type: 'workspaces', id: exampleId(prefixes.workspace) };
const exampleProject = { type: 'projects', id: exampleId(prefixes.project) };

const projectGrant = {
  team: { data: { type: 'teams', id: exampleId(prefixes.team) } },
  project: { data: { type: 'projects', id: exampleId(prefixes.project) } },
};

/** A level, and custom access. */
const projectLevels = [
  { access: 'write' },
  {
    access: 'custom',
    'project-access': { settings: 'read', teams: 'none' },
    'workspace-access': { runs: 'plan', variables: 'read', locking: true },
  },
];

const parameter = (description: string) => text(description, { maxLength: limits.id });

/** The code that a machine without a browser shows. A wrong one is found by looking it up. */
const userCode = text('The code that the machine shows. Case and hyphen do not matter.', { maxLength: 64 });

const workspaceGrant = {
  team: { data: { type: 'teams', id: exampleId(prefixes.team) } },
  workspace: { data: { type: 'workspaces', id: exampleId(prefixes.workspace) } },
};

/** A level, and custom access. */
const workspaceLevels = [
  { access: 'write' },
  { access: 'custom', runs: 'plan', variables: 'read', 'state-versions': 'read-outputs', 'workspace-locking': true },
];

const members = (type: string, description: string, example: string) =>
  listWith(
    Type.Array(
      Type.Object({
        type: Type.Optional(oneOf([type])),
        id: text(description, { maxLength: limits.id, minLength: 1 }),
      }),
      { maxItems: limits.membersAtOnce },
    ),
    { type, id: example },
  );

const assigned = (type: string) => identifiers([type], limits.variableSetAssignments);

const parent = Type.Optional(
  nullableObject({
    data: Type.Optional(
      nullableObject({
        type: oneOf(['organizations', 'projects'], 'The organization in the path, or one of its projects.'),
        id: Type.String({ minLength: 1, maxLength: limits.id }),
      }),
    ),
  }),
);

const vars = Type.Optional(nullableObject({ data: Type.Optional(Type.Unknown()) }));
const newVariableAttributes = requestAttributes(variableAttributes, ['key', 'category']);
const named = Type.Optional(nullableObject({ name: Type.Optional(nullableId) }));
const exampleVariable = { key: 'region', value: 'eu-central-1', category: 'infra' };
const reason = Type.Optional(nullable(text('The reason, visible to others.', { maxLength: limits.lockReason })));

const leaseSeconds = Type.Optional(
  nullable(
    count('Length of the lease in seconds. Without it, the lock never expires.', {
      minimum: MIN_LEASE_SECONDS,
      maximum: limits.leaseSeconds,
    }),
  ),
);

/**
 * JSON Schemas of all request bodies (HTTP-6) by name. `shared/validators` compiles them. Unknown attributes are ignored
 * (HTTP-7). Defaults are set by the domain.
 */
export const bodies = {
  workspace: documentWith(
    {
      type: oneOf(['workspaces']),
      id: Type.Optional(nullableId),
      attributes: Type.Optional(requestAttributes(workspaceAttributes)),
      relationships: Type.Optional(
        Type.Object({ project: toOne, tags: toMany(tagElements), 'tag-bindings': toMany(bindingElements) }),
      ),
    },
    { type: 'workspaces', attributes: { name: 'network', 'auto-apply': true, 'infra-version': '~> 1.9.0' } },
  ),

  workspaceLock: inAnyForm({ reason, 'lease-seconds': leaseSeconds }, { reason: 'migrating' }),
  workspaceLockRenewal: inAnyForm({ 'lease-seconds': leaseSeconds }, { 'lease-seconds': 300 }),
  workspaceForceUnlock: inAnyForm({ reason }, { reason: 'the pipeline has crashed' }),

  /** The body of a restoration: a document with another name for the workspace, or no body (DEL-18). */
  restoration: nullableObject(
    {
      data: Type.Optional(
        nullableObject({
          type: Type.Optional(oneOf(['workspaces', 'deleted-workspaces'])),
          id: Type.Optional(nullableId),
          attributes: Type.Optional(
            nullableObject({ name: Type.Optional(nullable(workspaceAttributes.name.request)) }),
          ),
        }),
      ),
    },
    { examples: [{ data: { type: 'workspaces', attributes: { name: 'network-restored' } } }] },
  ),

  bulkJob: documentWith(
    {
      type: Type.Optional(oneOf(['bulk-jobs'])),
      attributes: requestAttributes(bulkJobAttributes, ['action', 'selection']),
    },
    {
      type: 'bulk-jobs',
      attributes: {
        action: 'update',
        parameters: { 'infra-version': '1.10.0' },
        selection: { filter: { search: { tags: 'production' } } },
      },
    },
  ),

  bulkJobApplication: inAnyForm({ 'skip-warned': Type.Optional(nullable(skipWarned)) }, { 'skip-warned': true }),

  agentPool: resourceDocument('agent-pools', agentPoolAttributes, [{ name: 'build' }], {
    relationships: Type.Optional(
      Type.Object({
        'allowed-workspaces': toMany(identifiers(['workspaces'], limits.agentPoolScope)),
        'allowed-projects': toMany(identifiers(['projects'], limits.agentPoolScope)),
        'excluded-workspaces': toMany(identifiers(['workspaces'], limits.agentPoolScope)),
      }),
    ),
  }),

  membership: documentWith(
    {
      type: Type.Optional(oneOf(['organization-memberships'])),
      attributes: Type.Optional(requestAttributes(membershipAttributes)),
      relationships: Type.Optional(
        Type.Object({ teams: Type.Optional(Type.Object({ data: identifiers(['teams']) })) }),
      ),
    },
    {
      type: 'organization-memberships',
      attributes: { email: 'grace@example.com' },
      relationships: { teams: { data: [{ type: 'teams', id: exampleId(prefixes.team) }] } },
    },
  ),

  oauthClient: resourceDocument(
    'oauth-clients',
    oauthClientAttributes,
    [
      {
        name: 'hub',
        'service-provider': 'github',
        'http-url': 'https://github.com',
        'api-url': 'https://api.github.com',
        'oauth-token-string': 'token of the provider',
      },
    ],
    {
      relationships: Type.Optional(
        Type.Object({ projects: toMany(identifiers(['projects'], limits.vcsConnectionProjects)) }),
      ),
    },
  ),
  oauthClientProjects: listWith(identifiers(['projects'], limits.vcsConnectionProjects), exampleProject),

  organization: resourceDocument(
    'organizations',
    organizationAttributes,
    [{ name: 'acme', email: 'ada@example.com' }],
    {
      relationships: Type.Optional(Type.Object({ 'default-agent-pool': toOne })),
    },
  ),

  sshKey: resourceDocument('ssh-keys', sshKeyAttributes, [{ name: 'deploy', value: 'content of the private key' }]),
  team: resourceDocument('teams', teamAttributes, [
    { name: 'builders', 'organization-access': { 'read-workspaces': true } },
  ]),
  teamUsers: members('users', 'A username, or the id of a user.', 'grace'),

  teamMemberships: members(
    'organization-memberships',
    'The id of a membership of the organization.',
    exampleId(prefixes.membership),
  ),

  project: resourceDocument(
    'projects',
    projectAttributes,
    [{ name: 'Platform', description: 'Networks and clusters' }],
    {
      relationships: Type.Optional(
        Type.Object({
          'default-agent-pool': toOne,
          'tag-bindings': Type.Optional(nullableObject({ data: Type.Optional(bindingElements) })),
        }),
      ),
    },
  ),

  projectWorkspaces: listWith(identifiers(['workspaces'], limits.movedWorkspaces), exampleWorkspace),

  teamProject: documentWith(
    {
      type: Type.Optional(oneOf(['team-projects'])),
      attributes: requestAttributes(teamProjectAttributes, ['access']),
      relationships: Type.Object({ team: related, project: related }),
    },
    ...projectLevels.map((attributes) => ({ type: 'team-projects', attributes, relationships: projectGrant })),
  ),

  teamProjectUpdate: resourceDocument('team-projects', teamProjectAttributes, projectLevels),

  teamWorkspace: documentWith(
    {
      type: Type.Optional(oneOf(['team-workspaces'])),
      attributes: requestAttributes(teamWorkspaceAttributes, ['access']),
      relationships: Type.Object({ team: related, workspace: related }),
    },
    ...workspaceLevels.map((attributes) => ({ type: 'team-workspaces', attributes, relationships: workspaceGrant })),
  ),

  teamWorkspaceUpdate: resourceDocument('team-workspaces', teamWorkspaceAttributes, workspaceLevels),

  /** Clients send no type, or any type. Every member may be missing (AUTH-8). */
  token: Type.Object(
    {
      data: Type.Optional(
        nullableObject({ attributes: Type.Optional(nullableObject(requestProperties(tokenAttributes))) }),
      ),
    },
    { examples: [{ data: { type: 'authentication-tokens', attributes: { description: 'build pipeline' } } }] },
  ),

  tokenTtlPolicies: documentWith(
    {
      type: Type.Optional(oneOf(['organization-token-ttl-policies'])),
      attributes: Type.Object({
        'token-ttl-policies': Type.Array(
          Type.Object(requestProperties(tokenTtlPolicyAttributes, ['token-type', 'max-ttl-ms'])),
          { minItems: 1, maxItems: limitedTokenTypes.length },
        ),
      }),
    },
    {
      type: 'organization-token-ttl-policies',
      attributes: { 'token-ttl-policies': [{ 'token-type': 'team', 'max-ttl-ms': 2_592_000_000 }] },
    },
  ),

  /** Whole workspaces are accepted; only `type` and `id` count (CONS-3). The size of the body limits their number. */
  consumers: listWith(Type.Array(workspaceElement), exampleWorkspace),

  /**
   * Clients send one of two forms (SSH-1): the workspace with the id of the key as an attribute, or the resource identifier
   * of the key. Null unassigns the key in both.
   */
  sshKeyAssignment: documentWith(
    {
      type: oneOf(['workspaces', 'ssh-keys']),
      id: Type.Optional(nullableId),
      attributes: Type.Optional(nullableObject({ id: Type.Optional(nullableId) })),
    },
    { type: 'workspaces', attributes: { id: exampleId(prefixes.sshKey) } },
  ),

  retentionPolicy: documentWith(
    {
      type: oneOf(retentionPolicyTypes),
      attributes: Type.Optional(nullableObject(requestProperties(retentionPolicyAttributes))),
    },
    { type: 'data-retention-policy-delete-olders', attributes: { 'delete-older-than-n-days': 30 } },
  ),

  tags: listWith(tagElements, { type: 'tags', attributes: { name: 'network' } }),
  tagBindings: listWith(bindingElements, { type: 'tag-bindings', attributes: { key: 'env', value: 'prod' } }),

  tagWorkspaces: listWith(
    Type.Array(workspaceElement, { minItems: 1, maxItems: limits.tagElements }),
    exampleWorkspace,
  ),

  workloadIdentity: documentWith(
    {
      type: Type.Optional(oneOf(['workload-identities'])),
      id: Type.Optional(nullableId),
      attributes: Type.Optional(requestAttributes(workloadIdentityAttributes)),
      relationships: Type.Optional(
        Type.Object({
          team: toOne,
          projects: toMany(identifiers(['projects'], limits.workloadScope)),
          workspaces: toMany(identifiers(['workspaces'], limits.workloadScope)),
        }),
      ),
    },
    {
      type: 'workload-identities',
      attributes: {
        name: 'deploy-network',
        issuer: 'https://token.actions.githubusercontent.com',
        conditions: [
          { claim: '/repository_id', equals: ['456789'] },
          { claim: '/ref', equals: ['refs/heads/main'] },
        ],
      },
      relationships: { team: { data: { type: 'teams', id: exampleId(prefixes.team) } } },
    },
  ),

  workloadIdentityTest: documentWith(
    {
      type: Type.Optional(oneOf(['workload-identity-tests'])),
      attributes: requestAttributes(identityTestAttributes, ['subject-token']),
    },
    {
      type: 'workload-identity-tests',
      attributes: { 'subject-token': 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJyZXBvIn0.c2ln' },
    },
  ),

  /** The consent to a login. The request of the command line is checked before, when the browser arrives. */
  loginConsent: Type.Object(
    {
      port: Type.Integer({
        minimum: LOGIN_PORTS[0],
        maximum: LOGIN_PORTS[1],
        description: 'Port on which the command line waits.',
      }),
      state: text('The state of the command line.', { minLength: 1, maxLength: LONGEST_STATE }),
      code_challenge: text('SHA-256 of the verifier of the command line, in base64url.', { pattern: CHALLENGE }),
    },
    { examples: [{ port: 10_000, state: 'b6e5', code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' }] },
  ),

  /** The form of `/oauth2/device`. Further parameters, such as `scope`, are ignored. */
  deviceRequest: Type.Object(
    { client_id: Type.Optional(parameter('`terraform-cli`')) },
    { examples: [{ client_id: LOGIN_CLIENT }] },
  ),

  /** A user code, which is checked by looking it up. */
  userCode: Type.Object({ user_code: userCode }, { examples: [{ user_code: 'WDJB-MJHT' }] }),

  /** The decision of a person about the login of a device. */
  deviceDecision: Type.Object(
    { user_code: userCode, decision: oneOf(['allow', 'deny'], 'The decision of the caller.') },
    { examples: [{ user_code: 'WDJB-MJHT', decision: 'allow' }] },
  ),

  /** A sign-in link, whose text is checked by looking it up. */
  signInLink: Type.Object(
    { link: text('The part of the link after the #.', { maxLength: 128 }) },
    { examples: [{ link: 'ada.4vJ9FQdTfZkJbYyB9LrKcPz7wXnMhR2sEuGqA6tD8mV' }] },
  ),

  /** The form of `/oauth2/token`. The operation checks what a grant needs, because errors have codes of their own. */
  tokenGrant: Type.Object(
    {
      grant_type: parameter(
        '`authorization_code`, or `device_code` or `token-exchange` after `urn:ietf:params:oauth:grant-type:`',
      ),
      client_id: Type.Optional(parameter('Id of the workload identity; `terraform-cli` for a login.')),
      code: Type.Optional(parameter('Of a login: the code that the browser has brought.')),
      redirect_uri: Type.Optional(parameter('Of a login: the address to which the browser has returned.')),
      code_verifier: Type.Optional(parameter('Of a login: the verifier (RFC 7636).')),
      device_code: Type.Optional(parameter('Of a device login: the device code.')),
      subject_token: Type.Optional(
        text('The identity token.', { maxLength: limits.identityToken, examples: ['eyJhbGciOiJSUzI1NiJ9.eyJ9.c2ln'] }),
      ),
      subject_token_type: Type.Optional(
        parameter('`urn:ietf:params:oauth:token-type:id_token` or `urn:ietf:params:oauth:token-type:jwt`'),
      ),
      requested_token_type: Type.Optional(parameter('`urn:ietf:params:oauth:token-type:access_token`, if present')),
    },
    {
      examples: [
        {
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          client_id: exampleId(prefixes.workloadIdentity),
          subject_token: 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJyZXBvIn0.c2ln',
          subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        },
      ],
    },
  ),

  /** The form of a revocation (RFC 7009). */
  tokenRevocation: Type.Object(
    { token: text('The token of a pipeline.', { maxLength: limits.id }) },
    { examples: [{ token: 'hfw_CvpbqPPtsWSnyrTkCvpbqPPtsWSnyrTkCvpb0a1b2c3d' }] },
  ),

  /** The form of a logout of an identity provider (OpenID Connect Back-Channel Logout 1.0). */
  backchannelLogout: Type.Object(
    { logout_token: text('The logout token.', { maxLength: limits.identityToken }) },
    { examples: [{ logout_token: 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2ln' }] },
  ),

  reservedTagKey: resourceDocument('reserved-tag-keys', reservedTagKeyAttributes, [
    { key: 'environment', 'disable-overrides': true },
  ]),
  account: resourceDocument('users', userAttributes, [{ username: 'grace', email: 'grace@example.com' }]),

  newVariable: Type.Object(
    {
      data: Type.Object({
        type: oneOf(['vars']),
        attributes: newVariableAttributes,
        relationships: Type.Optional(
          nullableObject({ workspace: Type.Optional(nullableObject({ data: Type.Optional(resourceIdentifier) })) }),
        ),
      }),
      filter: Type.Optional(
        nullableObject(
          { workspace: named, organization: named },
          { description: 'Names the workspace instead of the relationship.', deprecated: true },
        ),
      ),
    },
    {
      examples: [
        {
          data: {
            type: 'vars',
            attributes: exampleVariable,
            relationships: { workspace: { data: { type: 'workspaces', id: 'ws-CvpbqPPtsWSnyrTk' } } },
          },
        },
      ],
    },
  ),

  newWorkspaceVariable: documentWith(
    { type: oneOf(['vars']), attributes: newVariableAttributes },
    { type: 'vars', attributes: exampleVariable },
  ),

  variable: documentWith(
    {
      type: oneOf(['vars']),
      id: Type.Optional(nullableId),
      attributes: Type.Optional(requestAttributes(variableAttributes)),
    },
    { type: 'vars', attributes: { value: 'eu-west-1' } },
  ),

  variableVerification: Type.Object(
    { value: text('The value to compare with that of the variable.', { maxLength: limits.variableValue }) },
    { examples: [{ value: 'eu-west-1' }] },
  ),

  variableSet: resourceDocument(
    'varsets',
    variableSetAttributes,
    [{ name: 'AWS credentials', description: 'Of the production account' }],
    {
      relationships: Type.Optional(
        nullableObject({
          parent,
          workspaces: toMany(assigned('workspaces')),
          projects: toMany(assigned('projects')),
          vars,
        }),
      ),
    },
  ),

  assignedWorkspaces: listWith(assigned('workspaces'), exampleWorkspace),
  assignedProjects: listWith(assigned('projects'), exampleProject),

  newStateVersion: documentWith(
    {
      type: Type.Optional(oneOf(['state-versions'])),
      attributes: requestAttributes(stateVersionAttributes, ['serial', 'md5']),
    },
    {
      type: 'state-versions',
      attributes: {
        serial: 1,
        md5: '4ae22d5ac0b2c5a6fb9e5b8a7ad8f1a0',
        lineage: '741c4949-60b9-5bb1-5bf8-b14f4bb14af3',
      },
    },
  ),

  stateRollback: documentWith(
    {
      type: Type.Optional(oneOf(['state-versions'])),
      relationships: Type.Object({ 'rollback-state-version': related }),
    },
    {
      type: 'state-versions',
      relationships: { 'rollback-state-version': { data: { type: 'state-versions', id: 'sv-CvpbqPPtsWSnyrTk' } } },
    },
  ),
} as const satisfies Record<string, TSchema>;

/** The types of all request bodies by name. */
export type Bodies = { readonly [S in keyof typeof bodies]: Static<(typeof bodies)[S]> };
