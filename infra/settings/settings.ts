import { Token } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import { type Edition, editionNames } from '../../shared/domain/editions.ts';
import { type IdentityProvider, reservedProviderNames } from '../../shared/domain/identity-providers.ts';
import { isLoopbackUrl } from '../../shared/domain/loopback-url.ts';
import { type Vocabulary, vocabularies } from '../../shared/domain/vocabulary.ts';
import { type FunctionName, functionNames } from '../../shared/runtime/environment.ts';
import { isObject } from './is-object.ts';

/**
 * Parses the value of a setting: a string of `-c name=value`, or any JSON value of `cdk.json`. Throws a RangeError when
 * the value is not valid.
 */
type Parser<T> = (value: unknown) => T;

export interface Setting<T> {
  readonly parse: Parser<T>;
  /** Value when the context does not contain the setting; undefined means off. */
  readonly fallback: T;
  /** Description for docs/operate/settings.md. */
  readonly means: string;
  /** Whether a group with this member must have a value for it. */
  readonly isRequired?: true;
}

/** Creates a setting with a value of its own where the context contains none. */
export const withDefault = <T>(parse: Parser<T>, fallback: T, means: string): Setting<T> => ({
  parse,
  fallback,
  means,
});
/** Creates a setting that is off where the context does not contain it. */
export const optional = <T>(parse: Parser<T>, means: string): Setting<T | undefined> => ({
  parse,
  fallback: undefined,
  means,
});

const required = <T>(parse: Parser<T>, means: string): Setting<T> => ({
  parse,
  fallback: undefined as T,
  means,
  isRequired: true,
});

const reject = (value: unknown, expected: string): never => {
  throw new RangeError(`is ${JSON.stringify(value)}, but must be ${expected}`);
};
/** Creates a parser of texts that match a pattern. */
export const matching =
  (pattern: RegExp, expected: string): Parser<string> =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? value : reject(value, expected);
/** Parses an ARN or an id, which an app may also give as a reference to a resource. Its value is not known at synthesis. */
const reference = (pattern: RegExp, expected: string): Parser<string> => {
  const parse = matching(pattern, expected);
  return (value) => (typeof value === 'string' && Token.isUnresolved(value) ? value : parse(value));
};
const oneOf =
  <T extends string>(...choices: readonly T[]): Parser<T> =>
  (value) =>
    choices.find((choice) => choice === value) ?? reject(value, choices.join(' or '));
const flag: Parser<boolean> = (value) => {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  return reject(value, 'true or false');
};
const wholeNumber =
  (min: number, max: number): Parser<number> =>
  (value) => {
    const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
    const isValid = typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max;
    return isValid ? number : reject(value, `a whole number from ${min} to ${max}`);
  };
/** Creates a parser of lists, which a text separates by commas. */
export const listOf =
  <T>(parse: Parser<T>): Parser<readonly T[]> =>
  (value) => {
    const elements = typeof value === 'string' ? value.split(',').filter((element) => element !== '') : value;
    return Array.isArray(elements) ? elements.map(parse) : reject(value, 'a list, separated by commas');
  };
/** Parses `workspaces=5,workspace-locks=10`, or the same as a JSON object. */
const perFunction =
  (names: readonly FunctionName[], parse: Parser<number>): Parser<{ readonly [F in FunctionName]?: number }> =>
  (value) => {
    const members = membersOf(value);
    if (members === undefined || !Object.keys(members).every((name) => names.includes(name as FunctionName)))
      return reject(value, `like ${names[0]}=5, for any of ${names.join(', ')}`);
    return Object.fromEntries(Object.entries(members).map(([name, number]) => [name, parse(number)]));
  };
/** Parses `team=platform,cost-center=42`, or the same as a JSON object. */
const tags: Parser<Readonly<Record<string, string>>> = (value) => {
  const members = membersOf(value);
  const isText = (part: unknown) => typeof part === 'string' && tagText.test(part);
  const isTag = ([key, text]: readonly [string, unknown]) => isText(key) && isText(text) && !/^aws:/i.test(key);
  const given = Object.entries(members ?? {});
  if (members === undefined || !given.every(isTag) || given.length > MAX_TAGS)
    return reject(value, `like team=platform,cost-center=42, at most ${MAX_TAGS}, without keys that start with aws:`);
  return members as Readonly<Record<string, string>>;
};
/** Characters that the tags of all services allow. */
const tagText = /^[\p{L}\p{N}_.:/+@-][\p{L}\p{N}_.:/+@ -]{0,127}$/u;
/** Most tags of a resource, less one that CloudFormation and the CDK may add each. */
const MAX_TAGS = 45;

const keyArn = matching(/^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/, 'the ARN of a key');
const streamArn = /^arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/[\w.-]{3,255}\/stream\/[\w:.-]+$/;
const tableName = /^[\w.-]{3,255}$/;
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** An automation command, with the schedule or the event that starts it. */
export interface Automation {
  readonly name: string;
  /** `rate(1 day)` or `cron(0 22 ? * MON-FRI *)`, in UTC. */
  readonly schedule?: string;
  /** An event pattern of EventBridge for events on the bus. */
  readonly on?: Readonly<Record<string, unknown>>;
  /** The command without an id, which is created from the event. `$.detail.workspace.id` is replaced from the event. */
  readonly command: Readonly<Record<string, unknown>>;
}

/** Longest name of a rule of EventBridge. */
const RULE_NAME = 64;
/** Longest input of the target of a rule, less what the CDK adds to the command: its id. */
const COMMAND_LENGTH = 8_000;

/** Builds the name of the rule of an automation. All names of a deployment have one prefix, which its permission names. */
export const automationRuleName = (
  { name }: { readonly name: string },
  automation: { readonly name: string },
): string => `${name}-automation-${automation.name}`;

/** The unit of a rate is singular for 1 and plural for more. */
const rate = /^rate\((1 (minute|hour|day)|([2-9]|[1-9]\d+) (minutes|hours|days))\)$/;
/** Returns whether EventBridge accepts a schedule. A cron expression has six fields, and a `?` for one of its two days. */
const isSchedule = (value: unknown): boolean => {
  const fields = /^cron\(([^()]+)\)$/.exec(String(value))?.[1]?.split(' ') ?? [];
  const [, , dayOfMonth, , dayOfWeek] = fields;
  return rate.test(String(value)) || (fields.length === 6 && (dayOfMonth === '?') !== (dayOfWeek === '?'));
};
/** Returns whether every value of an event pattern is a list, or an object of the same form. */
const isPattern = (value: unknown): boolean =>
  isObject(value) &&
  Object.keys(value).length > 0 &&
  Object.values(value).every((part) => Array.isArray(part) || isPattern(part));
const automations: Parser<readonly Automation[]> = (value) => {
  const isAutomation = (one: unknown): one is Automation => {
    const { name, schedule, on, command, ...others } = isObject(one) ? one : ({} as Record<string, unknown>);
    const hasTrigger = schedule === undefined ? isPattern(on) : on === undefined && isSchedule(schedule);
    const hasCommand =
      isObject(command) &&
      typeof command['command'] === 'string' &&
      command['id'] === undefined &&
      command['refusals'] === undefined;
    return (
      typeof name === 'string' &&
      /^[A-Za-z][A-Za-z0-9-]{0,59}$/.test(name) &&
      hasTrigger &&
      hasCommand &&
      !Object.keys(others)[0]
    );
  };
  const expected =
    'a list of {"name": …, "schedule": "rate(1 day)" or "cron(0 22 ? * MON-FRI *)", "command": {"command": …}}, or with "on": {an event pattern, whose values are lists} in place of "schedule"; commands without "id" and "refusals"';
  if (!Array.isArray(value) || !value.every(isAutomation)) return reject(value, expected);
  return new Set(value.map(({ name }) => name)).size === value.length
    ? value
    : reject(value, 'a list without duplicate names');
};

const retentionDays = Object.values(RetentionDays).filter((days) => typeof days === 'number' && days <= 3653);
const retention: Parser<RetentionDays> = (value) =>
  (retentionDays.find((days) => days === Number(value)) as RetentionDays | undefined) ??
  reject(value, `a number of days that CloudWatch Logs supports: ${retentionDays.join(', ')}`);
export const HUB_SUFFIX = 'hub';
/**
 * Suffixes that make names ambiguous: the function `history` of a deployment `holdfast-record` would have the name of the
 * function `record-history` of a deployment `holdfast`, and so would their log groups and alarms. A deployment
 * `holdfast-hub` would have the bus and the queue of a hub `holdfast`.
 */
const ambiguousSuffixes: readonly string[] = [
  'automation',
  HUB_SUFFIX,
  ...new Set(
    functionNames.flatMap((long) =>
      functionNames.flatMap((short) => (long.endsWith(`-${short}`) ? [long.slice(0, -short.length - 1)] : [])),
    ),
  ),
];
const deploymentName: Parser<string> = (value) => {
  const name = matching(/^[a-z][a-z0-9-]{0,29}$/, 'up to 30 lower-case letters, digits and hyphens')(value);
  const isAmbiguous = ambiguousSuffixes.some((suffix) => name.endsWith(`-${suffix}`));
  return isAmbiguous ? reject(value, `a name that does not end with -${ambiguousSuffixes.join(' or -')}`) : name;
};
/** A present secret and a new one. Each function refers to both, and a template has at most 60 such references. */
const MAX_ORIGIN_SECRETS = 2;
const requestUnits = wholeNumber(1, 1_000_000);
const hostName = '(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,63}';

/** Splits `rate=100,burst=200` into names and texts, or reads a JSON object. */
const membersOf = (value: unknown): Readonly<Record<string, unknown>> | undefined => {
  if (typeof value !== 'string') return isObject(value) ? value : undefined;
  if (value.startsWith('{')) return membersOf(parseJson(value));
  const pairs = value.split(',').map((pair) => /^([^=]+)=(.*)$/.exec(pair)?.slice(1));
  return pairs.every((pair) => pair !== undefined) ? Object.fromEntries(pairs) : undefined;
};

/**
 * Creates a setting of several values that belong to one feature: `rate=100,burst=200`, or the same as a JSON object. Members
 * that are not given have their defaults.
 */
const group = <M extends Definitions>(members: M, means: string): Setting<Members<M>> => {
  const parse: Parser<Members<M>> = (value) => {
    const given = membersOf(value) ?? reject(value, `an object with ${Object.keys(members).join(', ')}`);
    const { values, problems } = parseSettings(members, given);
    if (problems.length > 0) throw new RangeError(problems.map((problem) => `.${problem}`).join('\n'));
    return values as unknown as Members<M>;
  };
  const fallback = Object.fromEntries(Object.entries(members).map(([name, member]) => [name, member.fallback]));
  return { parse, fallback: fallback as Members<M>, means: `${means} Members: ${describeMembers(members)}` };
};

/** Describes the members of a group with their defaults. */
const describeMembers = (members: Definitions): string =>
  Object.entries(members)
    .map(([name, { fallback, means }]) => {
      const initial = fallback === undefined || String(fallback) === '' ? '' : ` (${fallback})`;
      return `${name}${initial}: ${means}`;
    })
    .join(' ');

const optionalGroup = <M extends Definitions>(members: M, means: string): Setting<Members<M> | undefined> => ({
  ...group(members, means),
  fallback: undefined,
});

const PROVIDERS = 10;
/** Most characters of the identity providers, because all variables of a function have 4 KB together. */
const PROVIDERS_LENGTH = 3_000;
const issuer: Parser<string> = (value) => {
  // Applications that use the construct may run on Node 20, which lacks `URL.parse`.
  const url = URL.canParse(String(value)) ? new URL(String(value)) : null;
  const isUsual = url?.href === value || url?.href === `${value}/`;
  // Only the local service sends requests to a provider on this computer.
  const isHttp = url?.protocol === 'https:' || (url !== null && isLoopbackUrl(url));
  return isUsual && isHttp && !/[?#@]/.test(String(value))
    ? String(value)
    : reject(value, 'the issuer of the provider, like https://login.example.com/realms/acme');
};
/** A name, a label, a value of a claim: text on one line. */
const line = matching(/^[^\p{Cc}\p{Zl}\p{Zp}]{1,256}$/u, 'a text of up to 256 characters');
const claim = matching(/^[\x21-\x7e]{1,128}$/, 'the name of a claim, or a JSON pointer such as /realm_access/roles');

/** Members of one identity provider. */
const providerMembers = {
  name: required(
    matching(/^[a-z][a-z0-9-]{0,29}$/, 'up to 30 lower-case letters, digits and hyphens'),
    'Name in addresses, such as keycloak in /sign-in/keycloak.',
  ),
  label: optional(line, 'Name on the sign-in page. Without it, the name.'),
  issuer: required(issuer, 'Issuer, as the provider spells it in its tokens.'),
  clientId: required(line, 'Client id of this deployment at the provider.'),
  clientAuthentication: withDefault(
    oneOf<IdentityProvider['clientAuthentication']>('none', 'aws', 'secret'),
    'none',
    'How the deployment authenticates at the provider: none for a public client with PKCE, aws for a token of AWS, secret for a secret.',
  ),
  secretParameter: optional(
    matching(/^(\/[\w.-]+){1,15}$/, 'the name of a parameter like /holdfast/keycloak-secret'),
    'Name of the SecureString parameter in SSM with the secret.',
  ),
  scopes: withDefault(
    matching(/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/, 'scopes, separated by a space'),
    'openid profile email',
    'Scopes that are requested, separated by spaces.',
  ),
  usernameClaim: withDefault(claim, 'preferred_username', 'Claim with the name of a new user.'),
  emailClaim: withDefault(claim, 'email', 'Claim with the e-mail address.'),
  groupsClaim: withDefault(claim, 'groups', 'Claim with the groups, or a JSON pointer such as /realm_access/roles.'),
  trustedEmailDomains: withDefault(
    listOf(matching(new RegExp(`^${hostName}$`), 'a domain like example.com')),
    [],
    'Domains whose verified addresses identify a user that exists already.',
  ),
  requiredGroups: withDefault(listOf(line), [], 'Groups of which a person must be in one to sign in.'),
  siteAdminGroup: optional(line, 'Group whose people are site administrators.'),
  requiredAcr: optional(
    line,
    'Value of the claim acr, such as a level of authentication, that each sign-in must have.',
  ),
};

const identityProviders: Parser<readonly IdentityProvider[]> = (value) => {
  const given = typeof value === 'string' ? parseJson(value) : value;
  if (!Array.isArray(given) || !given.every(isObject)) return reject(value, 'a list of objects');
  const parsed = given.map((one) => parseSettings(providerMembers, one as Readonly<Record<string, unknown>>));
  const problems = parsed.flatMap(({ problems: own }, index) => own.map((problem) => `.${index}.${problem}`));
  const providers = parsed.map(({ values }) => ({ ...values, label: values.label ?? values.name }));
  for (const [index, { name, clientAuthentication, secretParameter, scopes }] of providers.entries()) {
    const found = (problem: string) => problems.push(`.${index}.${problem}`);
    if (reservedProviderNames.includes(name)) found(`name must not be ${reservedProviderNames.join(' or ')}`);
    if (providers.findIndex((other) => other.name === name) < index) found(`name is ${name} a second time`);
    if ((clientAuthentication === 'secret') !== (secretParameter !== undefined))
      found('secretParameter is needed for clientAuthentication secret, and for nothing else');
    if (!scopes.split(' ').includes('openid')) found('scopes must contain openid');
  }
  if (providers.length > PROVIDERS) problems.push(` has more than ${PROVIDERS} providers`);
  if (JSON.stringify(providers).length > PROVIDERS_LENGTH)
    problems.push(
      ` has more than ${PROVIDERS_LENGTH} characters as JSON, which is the room that a function has for it`,
    );
  if (problems.length > 0) throw new RangeError(problems.join('\n'));
  return providers as readonly IdentityProvider[];
};

/**
 * All settings of a deployment. They are given by `cdk deploy --all -c edition=hosted`, or by `context` in `cdk.json`,
 * which also applies to the next deployment. docs/operate/settings.md is generated from this table.
 */
export const settingDefinitions = {
  name: withDefault(
    deploymentName,
    'holdfast',
    'Prefix of the names of stacks, functions, alarms, log groups and parameters; change it for a second deployment in one account and region.',
  ),
  stage: optional(
    matching(/^[a-z0-9][a-z0-9-]*$/, 'the name of a file in stages/'),
    'Stage whose settings are in the JSON file of its name in stages/, which must contain name.',
  ),
  tags: withDefault(tags, {}, 'Tags of all stacks and resources: team=platform,cost-center=42.'),
  permissionsBoundary: optional(
    reference(/^arn:aws[a-z-]*:iam::(?:\d{12}|aws):policy\/[\w+=,.@/-]+$/, 'the ARN of a managed policy'),
    'ARN of the managed policy that limits the roles of all functions.',
  ),
  edition: withDefault(
    oneOf<Edition>(...editionNames),
    'self-hosted',
    'Edition of the API to serve. The environment variable HOLDFAST_EDITION has the same effect.',
  ),
  globalRemoteStateDefault: withDefault(
    flag,
    false,
    'Self-hosted edition: value of global-remote-state for a new workspace whose request omits it.',
  ),
  vocabulary: withDefault(
    oneOf<Vocabulary>(...vocabularies),
    'infra',
    'Name of the category of variables for the infrastructure tool in responses: infra or terraform. Clients of Terraform and OpenTofu receive terraform in any case.',
  ),
  usersMayCreateOrganizations: withDefault(
    flag,
    false,
    'Whether every user may create organizations over HTTP. Otherwise only site administrators may.',
  ),
  loginTokenHours: withDefault(
    wholeNumber(1, 720),
    12,
    'Hours, up to 720, for which a token of terraform login or tofu login is valid. The user logs in again afterwards.',
  ),
  deviceLogin: withDefault(
    flag,
    false,
    'Whether machines without a browser can log in: a person types a code of the machine in the console (holdfast login --device). A person who is talked into typing the code of somebody else gives them a token, so it is off by default.',
  ),
  deletedWorkspaceDays: withDefault(
    wholeNumber(0, 365),
    14,
    'Days, up to 365, for which a deleted workspace can be restored. 0 makes deletions final. Workspaces that are deleted already keep their time.',
  ),
  callerCacheSeconds: withDefault(
    wholeNumber(0, 4),
    4,
    'Seconds, up to 4, for which a function caches a token and its memberships. A revocation is in force everywhere after that time. 0 turns the cache off.',
  ),
  organizationCacheMilliseconds: withDefault(
    wholeNumber(0, 1_000),
    0,
    'Milliseconds, up to 1000, for which a function caches an organization and its projects. Needed above 6,000 requests per second within one organization. A change that workspaces inherit is shown that much later, and the time of a 404 can tell that others have just used the organization.',
  ),
  console: withDefault(
    flag,
    true,
    'Whether the deployment serves the web console at / and below /app and /assets. Without it, these paths are 404, and terraform login is not offered.',
  ),
  logRetentionDays: withDefault(retention, RetentionDays.THREE_MONTHS, 'Retention of logs, in days.'),
  throttling: group(
    {
      rate: withDefault(wholeNumber(1, 100_000), 500, 'Requests per second.'),
      burst: withDefault(wholeNumber(1, 50_000), 1_000, 'Size of a burst above that rate.'),
    },
    'Requests of all callers together that the API accepts before it responds with 429.',
  ),
  tokenLimit: optionalGroup(
    {
      rate: required(
        wholeNumber(1, 10_000),
        'Requests per second. Clients that use go-tfe send at most two thirds of it, so values below 30 make them slow.',
      ),
      burst: optional(wholeNumber(1, 100_000), 'Requests at once after a pause. Without it, those of two seconds.'),
    },
    'Requests that each token may send to each instance of a function; further ones get 429. Without it, tokens have no limit of their own.',
  ),
  corsOrigins: withDefault(
    listOf(
      matching(
        new RegExp(`^(?:\\*|https://${hostName}(?::\\d+)?|http://localhost(?::\\d+)?)$`),
        'an origin like https://app.example.com, or *',
      ),
    ),
    [],
    'Origins of browser applications that may call the API, separated by commas. Without origins, CORS is off.',
  ),
  publicUrl: optional(
    matching(new RegExp(`^https://${hostName}(?::\\d+)?$`), 'an origin like https://api.example.com'),
    'Origin of the URLs in responses, if a proxy is in front of the API. Without it, URLs have the domain name of the request.',
  ),
  originSecretArns: withDefault(
    listOf(
      reference(
        /^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]+$/,
        'the ARN of a secret in Secrets Manager',
      ),
    ),
    [],
    'ARNs of up to two secrets, separated by commas. The functions reject requests that do not come through a distribution that sends one of them: see docs/operate/distribution.md.',
  ),
  customDomain: optionalGroup(
    {
      name: required(matching(new RegExp(`^${hostName}$`), 'a host name like api.example.com'), 'Host name.'),
      certificateArn: required(
        reference(/^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/, 'the ARN of a certificate in ACM'),
        'ARN of the certificate of the name, in the region of the deployment.',
      ),
      hostedZoneId: optional(
        reference(/^Z[A-Z0-9]{1,31}$/, 'the id of a Route 53 hosted zone'),
        'Route 53 zone in which the records of the name are created. Without it, create them yourself from the output ApiDomainTarget.',
      ),
    },
    'Host name of the API, in place of the one of API Gateway.',
  ),
  identityProviders: withDefault(
    identityProviders,
    [],
    `OpenID Connect providers at which people sign in to the console, as a list in cdk.json or a stage file: see docs/operate/sign-in.md. Members: ${describeMembers(providerMembers)}`,
  ),
  sessionHours: withDefault(
    wholeNumber(1, 720),
    12,
    'Hours after which a session of a person who signed in at an identity provider ends: at most signInFreshnessDays.',
  ),
  sessionIdleMinutes: withDefault(
    wholeNumber(5, 9_999),
    60,
    'Minutes without a request of the console after which a session ends.',
  ),
  signInFreshnessDays: withDefault(
    wholeNumber(1, 365),
    14,
    'Days for which a sign-in at an identity provider counts in organizations with the sign-in policy sso.',
  ),
  alarmEmail: optional(
    matching(/^[^\s@,]+@[^\s@,]+\.[^\s@,]+$/, 'an e-mail address'),
    'E-mail address that receives the alarms. It must confirm the subscription once.',
  ),
  alarmTopicArn: optional(
    reference(/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]+$/, 'the ARN of an SNS topic'),
    'ARN of an existing SNS topic for the alarms. CloudWatch must be allowed to publish to it.',
  ),
  dashboard: withDefault(
    flag,
    false,
    'Creates a CloudWatch dashboard of the API, the functions and the table. AWS charges for it.',
  ),
  tracing: withDefault(
    flag,
    false,
    'Sends traces to X-Ray, with the calls of DynamoDB, S3, EventBridge and other services. At low traffic every request is traced: see docs/operate/costs.md.',
  ),
  reservedConcurrency: withDefault(
    perFunction(functionNames, wholeNumber(0, 10_000)),
    {},
    'Concurrency that is reserved for a function and limits it: workspaces=100,workspace-locks=50.',
  ),
  provisionedConcurrency: withDefault(
    perFunction(['workspaces', 'workspace-locks'], wholeNumber(1, 1_000)),
    {},
    'Instances of workspaces or workspace-locks that are kept warm to avoid cold starts, billed by the hour: workspaces=5.',
  ),
  automations: withDefault(
    automations,
    [],
    'Commands to execute by schedule or after an event, as a list in cdk.json or a stage file: see docs/concepts/automation.md.',
  ),
  maxRequestUnits: optionalGroup(
    { read: optional(requestUnits, 'Read units.'), write: optional(requestUnits, 'Write units.') },
    'Limits of the table and of each index in units per second: calls above them are throttled, which limits the cost.',
  ),
  maintenance: withDefault(
    flag,
    false,
    'Rejects every request to the API with 503 and pauses schedules, automations and events of runners. Admin commands work. Used by the runbook for a restore.',
  ),
  restoredTable: optionalGroup(
    {
      name: required(matching(tableName, 'the name of a table'), 'Name of the table.'),
      streamArn: required(
        matching(streamArn, 'the ARN of a stream of a table'),
        'ARN of its stream, its LatestStreamArn after the stream has been turned on. Events are published from it.',
      ),
      replaces: optional(
        matching(tableName, 'the name of a table'),
        'Name of the table that it replaces, with which after-restore compares; needed from the second restore on, where it is the table restored before. Without it, the original table.',
      ),
    },
    'Table, restored from a backup and encrypted with the key of the data stack, to serve in place of the original.',
  ),
  adopt: optionalGroup(
    {
      tableName: required(matching(tableName, 'the name of a table'), 'Name of the table.'),
      tableStreamArn: required(matching(streamArn, 'the ARN of a stream of a table'), 'ARN of its stream.'),
      tableKeyArn: required(keyArn, 'ARN of the key of the table.'),
      bucketName: required(
        matching(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of a bucket'),
        'Name of the bucket.',
      ),
      bucketKeyArn: required(keyArn, 'ARN of the key of the bucket.'),
      secretsKeyArn: required(keyArn, 'ARN of the key of secrets.'),
      fingerprintsKeyArn: required(keyArn, 'ARN of the key of fingerprints.'),
    },
    'Table, bucket and keys that an earlier deployment retained, to use in place of new ones: see docs/operate/deploy.md. Keep the setting for as long as the deployment exists.',
  ),
  historyDays: withDefault(
    wholeNumber(1, 3_650),
    400,
    'Days for which the history keeps an entry. A change of the setting applies to entries that are written later.',
  ),
  historyAddresses: withDefault(
    flag,
    true,
    'Whether the record of a change contains the source IP address of its request.',
  ),
  auditRefusals: withDefault(
    flag,
    false,
    'Whether requests that are rejected because of who sent them leave entries in the audit trail: at most 20 a minute for each token.',
  ),
  archiveDays: withDefault(wholeNumber(1, 3_650), 365, 'Days for which the archive keeps events for replay.'),
  hubBusArn: optional(
    // The bus of a deployment would forward its events to itself.
    reference(
      new RegExp(`^arn:aws[a-z-]*:events:[a-z0-9-]+:\\d{12}:event-bus/[a-z0-9-]+-${HUB_SUFFIX}$`),
      `the ARN of the bus of a hub, whose name ends with -${HUB_SUFFIX}`,
    ),
    'ARN of the bus of a hub, to which the events of workspaces are forwarded: see docs/operate/hub.md.',
  ),
} as const;

type Definitions = Readonly<Record<string, Setting<unknown>>>;
export type Values<D> = { readonly [S in keyof D]: D[S] extends Setting<infer T> ? T : never };
/** The values of the members of a group. Those without a default may be absent. */
type Members<M> = { readonly [N in keyof M as undefined extends Values<M>[N] ? never : N]: Values<M>[N] } & {
  readonly [N in keyof M as undefined extends Values<M>[N] ? N : never]?: Values<M>[N];
};
export type SettingName = keyof typeof settingDefinitions;
export type Settings = Values<typeof settingDefinitions>;
/** Resources that an earlier deployment retained, by which a new one continues with its data. */
export type Adopted = NonNullable<Settings['adopt']>;

/** Former names of settings, and the members that replaced them. */
const renamed: Readonly<Record<string, string>> = {
  throttlingRate: 'throttling.rate',
  throttlingBurst: 'throttling.burst',
  tokenRate: 'tokenLimit.rate',
  tokenBurst: 'tokenLimit.burst',
  domainName: 'customDomain.name',
  certificateArn: 'customDomain.certificateArn',
  hostedZoneId: 'customDomain.hostedZoneId',
  maxReadRequestUnits: 'maxRequestUnits.read',
  maxWriteRequestUnits: 'maxRequestUnits.write',
  restoredTableName: 'restoredTable.name',
  restoredTableStreamArn: 'restoredTable.streamArn',
  replacedTableName: 'restoredTable.replaces',
};

/** Error with all problems of the settings, one line each. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The settings are not valid:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/** Returns a part of the ARN in a setting, or undefined for other values and for references. */
const partOfArn = (value: unknown, part: number): string | undefined =>
  typeof value === 'string' && value.startsWith('arn:') && !Token.isUnresolved(value)
    ? value.split(':')[part] || undefined
    : undefined;

/** Settings that must fit the region of the deployment. */
type PlacedSettings = Partial<Pick<Settings, 'customDomain' | 'alarmTopicArn' | 'restoredTable' | 'adopt'>>;

/** Lists settings and members of groups by their names. */
const flatten = (settings: object): [name: string, value: unknown][] =>
  Object.entries(settings).flatMap(([name, value]) =>
    isObject(value)
      ? flatten(value).map(([member, one]): [string, unknown] => [`${name}.${member}`, one])
      : [[name, value]],
  );

/** Lists the regions of the settings with resources in the region of the deployment, if there is more than one. */
const regionProblems = (
  { customDomain, alarmTopicArn, restoredTable, adopt }: PlacedSettings,
  ownRegion?: string,
): string[] => {
  const arns = flatten({ customDomain, alarmTopicArn, restoredTable, adopt });
  const resources = arns.map(([name, arn]) => ({ name, region: partOfArn(arn, 3) }));
  const placed = [...resources, { name: 'the deployment', region: ownRegion }];
  const regions = [...new Set(placed.flatMap(({ region }) => region ?? []))];
  const namesIn = (region: string) => placed.filter((one) => one.region === region).map(({ name }) => name);
  const listed = regions.map((region) => `${namesIn(region).join(', ')} in ${region}`);
  return regions.length < 2 ? [] : [`all resources must be in the region of the deployment: ${listed.join('; ')}`];
};

/** Partitions of AWS for whose regions the templates are made. */
export const partitions = ['aws', 'aws-us-gov'] as const;
export type Partition = (typeof partitions)[number];

/**
 * Verifies that a deployment or a hub with these settings can be created in a region. The region is often known at synthesis
 * only by the configuration of the CDK CLI, and not at all where nothing is deployed.
 * @throws SettingsError for a region of another partition, and for resources in another region or partition.
 */
export const checkRegion = (settings: PlacedSettings, region: string): void => {
  const partition = RegionInfo.get(region).partition ?? 'aws';
  if (partitions.every((one) => one !== partition))
    throw new SettingsError([
      `the region ${region} is in the partition ${partition}, but must be in ${partitions.join(' or ')}`,
    ]);
  const problems = [
    ...regionProblems(settings, region),
    ...flatten(settings).flatMap(([name, value]) => {
      const other = partOfArn(value, 1) ?? partition;
      return other === partition
        ? []
        : [`${name} is in the partition ${other}, but the region ${region} is in ${partition}`];
    }),
  ];
  if (problems.length > 0) throw new SettingsError(problems);
};

/** Names of settings contain letters only. Context keys of the CDK contain a colon, a slash, an at sign or a hyphen. */
const isSettingName = (key: string): boolean => /^[A-Za-z]+$/.test(key);

/** Parses the settings in a context. `problems` contains every setting that is unknown or not valid. */
export const parseSettings = <D extends Definitions>(definitions: D, context: Readonly<Record<string, unknown>>) => {
  const problems = Object.keys(context)
    .filter((key) => isSettingName(key) && !Object.hasOwn(definitions, key))
    .map((key) =>
      Object.hasOwn(renamed, key)
        ? `${key} is now ${renamed[key]}: see CHANGELOG.md`
        : `${key} is not a setting; the settings are ${Object.keys(definitions).join(', ')}`,
    );
  const values = Object.entries(definitions).map(([name, { parse, fallback, isRequired }]) => {
    const value = context[name];
    if (value === undefined || value === null || value === '') {
      if (isRequired) problems.push(`${name} is missing`);
      return [name, fallback];
    }
    try {
      return [name, parse(value)];
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      // A group has a line for each member that is not valid.
      const reasons = error.message.split('\n');
      problems.push(...reasons.map((reason) => (reason.startsWith('.') ? `${name}${reason}` : `${name} ${reason}`)));
      return [name, fallback];
    }
  });
  return { values: Object.fromEntries(values) as Values<D>, problems };
};

/**
 * Reads the settings from a CDK context.
 * @example
 * readSettings({ edition: 'hosted', logRetentionDays: '30' }).logRetentionDays; // 30
 * @param requestedEdition the edition if the context does not contain one.
 * @throws SettingsError with every setting that is unknown, not valid, or lacks a setting that it requires.
 */
export const readSettings = (context: Readonly<Record<string, unknown>>, requestedEdition?: string): Settings => {
  const { values: settings, problems } = parseSettings(settingDefinitions, { edition: requestedEdition, ...context });

  if (settings.originSecretArns.length > MAX_ORIGIN_SECRETS)
    problems.push(`originSecretArns has more than ${MAX_ORIGIN_SECRETS} secrets`);
  const { adopt, restoredTable } = settings;
  if (restoredTable !== undefined) {
    const { name, streamArn, replaces } = restoredTable;
    if (streamArn.split('/')[1] !== name)
      problems.push(`restoredTable.streamArn is not the ARN of a stream of the table ${name}`);
    if (replaces === name) problems.push('restoredTable.replaces and restoredTable.name must be different tables');
    // The admin command after-restore would compare the table with itself, and find nothing that came back.
    if (adopt?.tableName === name && replaces === undefined)
      problems.push('restoredTable is the table in adopt, which is used without restoredTable');
  }
  for (const automation of settings.automations) {
    const rule = automationRuleName(settings, automation);
    if (rule.length > RULE_NAME)
      problems.push(`automations: the rule ${rule} is longer than ${RULE_NAME} characters: choose a shorter name`);
    if (JSON.stringify(automation.command).length > COMMAND_LENGTH)
      problems.push(`automations: the command of ${automation.name} is longer than ${COMMAND_LENGTH} characters`);
  }
  for (const [name, provisioned] of Object.entries(settings.provisionedConcurrency)) {
    const reserved = settings.reservedConcurrency[name as FunctionName];
    if (reserved !== undefined && provisioned > reserved)
      problems.push(
        `provisionedConcurrency of ${name} is ${provisioned}, more than its reservedConcurrency of ${reserved}`,
      );
  }
  problems.push(...regionProblems(settings));
  if (adopt !== undefined && !adopt.tableStreamArn.includes(`:table/${adopt.tableName}/stream/`))
    problems.push(`adopt.tableStreamArn is not the ARN of a stream of the table ${adopt.tableName}`);
  if (settings.sessionHours > settings.signInFreshnessDays * 24)
    problems.push('sessionHours is longer than signInFreshnessDays, after which a sign-in no longer counts');
  if (settings.deviceLogin && !settings.console)
    problems.push('deviceLogin requires console, where people type the code');
  if (settings.alarmEmail !== undefined && settings.alarmTopicArn !== undefined) {
    problems.push('alarmEmail and alarmTopicArn exclude each other: subscribe the address to that topic');
  }
  if (problems.length > 0) throw new SettingsError(problems);
  return settings;
};
