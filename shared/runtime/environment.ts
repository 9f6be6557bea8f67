import { type Edition, editionNames, editions } from '../domain/editions.ts';
import type { IdentityProvider } from '../domain/identity-providers.ts';
import { type Vocabulary, vocabularies } from '../domain/vocabulary.ts';

/**
 * Environment variables of every function. A function reads these variables at its start, and its construct must set
 * them: a missing variable is a compile error. No other module reads `process.env`.
 */

const text = (value: string): string => value;
const flag = (value: string): boolean => value === 'true';
const edition = (value: string): Edition => {
  if (!Object.hasOwn(editions, value)) throw new RangeError(`is ${value}, neither ${editionNames.join(' nor ')}`);
  return value as Edition;
};
const wholeNumber = (value: string): number => {
  if (!/^\d{1,4}$/.test(value)) throw new RangeError(`is ${value}, not a whole number`);
  return Number(value);
};

const identityProviders = (value: string): readonly IdentityProvider[] => JSON.parse(value);

const table = { TABLE_NAME: text } as const;

const endpoint = {
  ...table,
  EDITION: edition,
  /** Time for which the token and memberships of a caller are cached. A revocation takes effect within it. */
  CALLER_CACHE_SECONDS: wholeNumber,
  /** Days for which a sign-in at an identity provider counts where an organization requires one (POLICY-1). */
  SIGN_IN_FRESHNESS_DAYS: wholeNumber,
  /** Time for which functions that do not change an organization and its projects cache them. */
  ORGANIZATION_CACHE_MILLISECONDS: wholeNumber,
} as const;

/** Variables of functions that encrypt secrets. */
const encryption = { SECRETS_KEY_ARN: text } as const;
/** Variables of functions that compute fingerprints of values, under an HMAC key. */
const fingerprinting = { FINGERPRINTS_KEY_ARN: text } as const;
/** Variables of functions that send records to a dead-letter queue if they cannot process them. */
const deadLetters = { DEAD_LETTERS_URL: text } as const;
/** Variables of functions that read and write objects in the bucket. */
const storing = { BUCKET_NAME: text } as const;
/** Variables of functions that a pending state version can block: the name of the function that reads uploaded states. */
const looking = { STATE_CONTENT_FUNCTION: text } as const;
/** Variables of functions that keep list indexes in memory. */
const listing = { ...endpoint, ...storing, LIST_INDEX_SNAPSHOTS_FUNCTION: text } as const;
/** Variables of functions that start the worker of bulk jobs: its name. */
const working = { BULK_JOB_WORKER_FUNCTION: text } as const;
/** Days for which an entry of the history is kept. */
const keepingHistory = { HISTORY_DAYS: wholeNumber } as const;
/** Days for which a deleted workspace can be restored; 0 makes deletions final. */
const deleting = { DELETED_WORKSPACE_DAYS: wholeNumber } as const;
/** Whether the deployment serves the web console. */
const withConsole = { CONSOLE: flag } as const;
/** Origin of the deployment, to which providers send people back. It never follows from a request. */
const withOrigin = { PUBLIC_URL: text } as const;
const withProviders = { IDENTITY_PROVIDERS: identityProviders } as const;
const hub = { HUB_TABLE_NAME: text } as const;

/** One entry for each function. */
const environments = {
  workspaces: {
    ...listing,
    /** Default of `global-remote-state` (self-hosted edition, EDITION-4). */
    GLOBAL_REMOTE_STATE_DEFAULT: flag,
  },
  'workspace-list': { ...listing, ...deleting },
  'workspace-locks': { ...endpoint, ...looking },
  'workspace-deletion': { ...endpoint, ...looking, ...deleting },
  'workspace-tags': listing,
  'remote-state-consumers': listing,
  'ssh-key': endpoint,
  'data-retention-policy': endpoint,
  runs: endpoint,
  variables: { ...listing, ...encryption, ...fingerprinting },
  organizations: {
    ...endpoint,
    /** Whether every user may create organizations (ORG-2). */
    USERS_MAY_CREATE_ORGANIZATIONS: flag,
  },
  // Alone sends requests to issuers and identity providers.
  'sign-in': {
    ...endpoint,
    ...withOrigin,
    ...withProviders,
    SESSION_HOURS: wholeNumber,
    SESSION_IDLE_MINUTES: wholeNumber,
    ...withConsole,
    /** Longest lifetime of a token of `terraform login`, in hours. */
    LOGIN_TOKEN_HOURS: wholeNumber,
    /** Whether machines without a browser can log in (LOGIN-7). */
    DEVICE_LOGIN: flag,
  },
  projects: listing,
  teams: listing,
  integrations: { ...endpoint, ...encryption },
  'state-versions': { ...endpoint, ...storing },
  'state-content': { ...table, ...storing },
  documentation: { EDITION: edition, ...withConsole },
  console: storing,
  fallback: {},
  admin: { ...table, EDITION: edition, ...storing, ...withProviders, ...withOrigin, ...withConsole },
  cleanup: { ...table, ...storing, ...working, ...keepingHistory },
  ingest: { ...table, ...storing, ...deadLetters },
  'list-index-snapshots': { ...table, ...storing },
  'state-retention': { ...table, EDITION: edition, ...storing },
  publish: { BUS_NAME: text, ...deadLetters },
  history: endpoint,
  'bulk-jobs': { ...endpoint, ...storing, ...working },
  'bulk-job-worker': {
    ...listing,
    /** Prefix of the function names of the deployment, up to the hyphen. */
    FUNCTION_PREFIX: text,
  },
  'record-history': {
    ...table,
    ...deadLetters,
    ...fingerprinting,
    ...keepingHistory,
  },
  automation: {
    ...table,
    ...deadLetters,
    ...fingerprinting,
    /** Prefix of the function names of the deployment, up to the hyphen. */
    FUNCTION_PREFIX: text,
  },
  'hub-snapshot': { ...table, BUS_NAME: text, ...deadLetters },
  'hub-receiver': { ...hub, ...deadLetters },
  'hub-reader': hub,
} as const satisfies Record<string, Record<string, (value: string) => unknown>>;

type Environments = typeof environments;
export type FunctionName = keyof Environments;
/** All functions, including the functions of the hub and of its members. */
export const allFunctionNames = /* @__PURE__ */ Object.keys(environments) as FunctionName[];
/** Functions of the hub, which is an app of its own. */
export const hubFunctionNames = ['hub-receiver', 'hub-reader'] as const satisfies readonly FunctionName[];
/** Functions that a deployment has only if it is a member of a hub. */
export const memberFunctionNames = ['hub-snapshot'] as const satisfies readonly FunctionName[];
type OtherName = (typeof hubFunctionNames)[number] | (typeof memberFunctionNames)[number];
/** Name of a function of every deployment. */
export type DeployedName = Exclude<FunctionName, OtherName>;
/** Functions of every deployment. */
export const functionNames = /* @__PURE__ */ allFunctionNames.filter((name): name is DeployedName => {
  const others: readonly FunctionName[] = [...hubFunctionNames, ...memberFunctionNames];
  return !others.includes(name);
});

/** Variables that the infrastructure must set, as strings. */
export type Variables<F extends FunctionName> = { readonly [K in keyof Environments[F]]: string };
type Values<F extends FunctionName> = {
  readonly [K in keyof Environments[F]]: Environments[F][K] extends (value: string) => infer V ? V : never;
};

/**
 * Reads and validates the environment variables of a function. It is called once, at the start.
 * @throws Error that names the missing or invalid variable.
 */
export const readEnvironment = <F extends FunctionName>(name: F): Values<F> =>
  Object.fromEntries(
    Object.entries(environments[name] as Record<string, (value: string) => unknown>).map(([variable, read]) => {
      const value = process.env[variable];
      if (value === undefined || value === '') throw new Error(`The function ${name} needs the variable ${variable}`);
      try {
        return [variable, read(value)];
      } catch (cause) {
        throw new Error(`The variable ${variable} of the function ${name} ${(cause as Error).message}`, { cause });
      }
    }),
  ) as Values<F>;

/** Reads the region and the optional endpoint of an AWS service from the variables that the AWS SDK uses. */
export const readService = (
  name: 'S3' | 'LAMBDA' | 'SSM' | 'STS',
): { readonly region: string; readonly endpoint?: URL } => {
  const { AWS_REGION: region = '', [`AWS_ENDPOINT_URL_${name}`]: endpoint } = process.env;
  return { region, ...(endpoint && { endpoint: new URL(endpoint) }) };
};

/** Reads the trace header of the current invocation, which Lambda sets before each one. */
export const readTraceHeader = (): string | undefined => process.env['_X_AMZN_TRACE_ID'];

/** Reads the address of the X-Ray daemon, which Lambda sets where tracing is on. */
export const readTraceDaemon = (): { readonly host: string; readonly port: number } => {
  const [host = '', port] = (process.env['AWS_XRAY_DAEMON_ADDRESS'] ?? '127.0.0.1:2000').split(':');
  return { host, port: Number(port) };
};

/** Returns the name of the deployment that a function belongs to: the name that Lambda sets, without the name of the function. */
export const readDeploymentName = (name: FunctionName): string =>
  process.env['AWS_LAMBDA_FUNCTION_NAME']?.replace(new RegExp(`-${name}$`), '') ?? 'local';

/** Reads the edition from HOLDFAST_EDITION at synthesis. The deployment settings validate it. */
export const readRequestedEdition = (): string | undefined => process.env['HOLDFAST_EDITION'];

/** Reads the region in which the CDK CLI creates stacks that name none. Nothing is deployed where it is not set. */
export const readDefaultRegion = (): string | undefined => process.env['CDK_DEFAULT_REGION'] || undefined;

/**
 * Reads the origin of the URLs in responses, such as `https://api.example.com`. Without it, URLs have the domain name of the
 * request.
 */
export const readPublicUrl = (): string | undefined => process.env['PUBLIC_URL'] || undefined;

/** Reads the name of the table that a restored one replaces (setting `restoredTable`). */
export const readReplacedTable = (): string | undefined => process.env['REPLACED_TABLE_NAME'] || undefined;

/** Returns whether the function `fallback` rejects every request (setting `maintenance`). */
export const isUnderMaintenance = (): boolean => process.env['MAINTENANCE'] === 'true';

/** Reads the limit of each token, as requests per second and at once (setting `tokenLimit`); undefined without a limit. */
export const readTokenLimit = (): { readonly rate: number; readonly burst: number } | undefined => {
  const [rate, burst] = (process.env['TOKEN_LIMIT'] ?? '').split('/').map(Number);
  return rate && burst ? { rate, burst } : undefined;
};

/** Reads the secrets of a distribution in front of the API (setting `originSecretArns`); undefined without the setting. */
export const readOriginSecrets = (): readonly string[] | undefined =>
  (process.env['ORIGIN_SECRETS'] || undefined)?.split(',');

/** Returns whether changes record the source address of their request (setting `historyAddresses`). */
export const recordsAddresses = (): boolean => process.env['HISTORY_ADDRESSES'] !== 'false';

/** Returns whether rejected requests leave entries in the audit trail (setting `auditRefusals`). */
export const auditsRejections = (): boolean => process.env['AUDIT_REFUSALS'] === 'true';

/**
 * Returns whether issuers of identity tokens may be on this machine, without encryption (WI-3). Only the local service sets the
 * variable.
 */
export const allowsLoopbackIssuers = (): boolean => process.env['LOOPBACK_ISSUERS'] === 'true';

/**
 * Reads the origin of presigned URLs. The local service sets it behind a proxy. Without it, presigned URLs have the endpoint
 * of S3.
 */
export const readPresignedOrigin = (): string | undefined => process.env['PRESIGNED_URL_ORIGIN'] || undefined;

/** Reads the vocabulary of responses to clients that neither request nor need a certain one (HTTP-33). */
export const readVocabulary = (): Vocabulary => {
  const value = process.env['VOCABULARY'] || 'infra';
  const known = vocabularies.find((vocabulary) => vocabulary === value);
  if (known === undefined)
    throw new Error(`The variable VOCABULARY is ${value}, neither ${vocabularies.join(' nor ')}`);
  return known;
};

/** Variables with the credentials for a table in AWS. They are passed on unchanged. */
const credentialVariables = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_PROFILE',
  'AWS_REGION',
] as const;

/**
 * Reads the settings of `npm start` and `npm run admin`, which run the service locally.
 * @throws RangeError that names the variable and its valid values.
 */
export const readLocalSettings = () => {
  const read = <T>(variable: string, parse: (value: string) => T): T | undefined => {
    const value = process.env[variable];
    if (value === undefined || value === '') return undefined;
    try {
      return parse(value);
    } catch (cause) {
      throw new RangeError(`${variable} ${(cause as Error).message}`, { cause });
    }
  };
  const wholeNumber = (least: number, most: number) => (value: string) => {
    if (/^\d{1,5}$/.test(value) && Number(value) >= least && Number(value) <= most) return Number(value);
    throw new RangeError(`is ${value}, not a whole number from ${least} to ${most}`);
  };
  const httpUrl = (value: string) => {
    if (/^https?:$/.test(URL.parse(value)?.protocol ?? '')) return value;
    throw new RangeError(`is ${value}, not a URL such as http://127.0.0.1:8000`);
  };
  const origin = (value: string) => {
    const url = URL.parse(httpUrl(value));
    if (url && value.replace(/\/$/, '') === url.origin) return url.origin;
    throw new RangeError(`is ${value}, not an origin such as https://holdfast.example.com`);
  };
  const trueOrFalse = (value: string) => {
    if (value === 'true' || value === 'false') return value === 'true';
    throw new RangeError(`is ${value}, neither true nor false`);
  };
  /** Origin of a proxy in front of the service. */
  const publicUrl = read('HOLDFAST_PUBLIC_URL', origin);
  /** Endpoint of DynamoDB; absent for the embedded engine. */
  const dynamodbEndpoint = read('HOLDFAST_DYNAMODB_ENDPOINT', httpUrl);
  const chosenEdition = read('HOLDFAST_EDITION', edition);
  /** Maximum number of workers per function. */
  const concurrency = read('HOLDFAST_CONCURRENCY', wholeNumber(1, 64));
  return {
    host: read('HOLDFAST_HOST', text) ?? '127.0.0.1',
    /** 0 takes any free port. */
    port: read('PORT', wholeNumber(0, 65_535)) ?? 8080,
    dataFolder: read('HOLDFAST_DATA', text) ?? '.holdfast',
    ...(concurrency !== undefined && { concurrency }),
    ...(dynamodbEndpoint !== undefined && { dynamodbEndpoint }),
    ...(chosenEdition !== undefined && { edition: chosenEdition }),
    ...(publicUrl !== undefined && { publicUrl }),
    /** Whether the source address is reported by a proxy in front of the service. */
    trustsProxy: read('HOLDFAST_TRUST_PROXY', trueOrFalse) ?? false,
    credentials: Object.fromEntries(
      credentialVariables.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
    ),
  };
};

/** Reads the token of a terminal command. An argument would be visible in the list of processes. */
export const readToken = (): string | undefined => process.env['HOLDFAST_TOKEN'] || undefined;
