import { type Edition, editionNames, editions } from '../domain/editions.ts';

/**
 * The environment of every function, in one place: what a function reads at start is what its construct must give it,
 * so a variable that is missing there is a compile error. Nothing else reads `process.env`.
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

const endpoint = {
  /** Name of the table. */
  TABLE_NAME: text,
  EDITION: edition,
  /** How long a caller's token and memberships may be remembered; a revocation is in force everywhere after it. */
  CALLER_CACHE_SECONDS: wholeNumber,
  /** How long an organization and its projects may be cached by functions that do not change them. */
  ORGANIZATION_CACHE_MILLISECONDS: wholeNumber,
} as const;

/** Of functions that encrypt secrets. */
const encryption = {
  /** ARN of the key that secrets are encrypted under. */
  SECRETS_KEY_ARN: text,
} as const;

/** Of functions that put aside what they can do nothing with. */
const deadLetters = {
  /** URL of the dead-letter queue. */
  DEAD_LETTERS_URL: text,
} as const;

/** Of functions that read and write objects. */
const storing = {
  /** Name of the bucket. */
  BUCKET_NAME: text,
} as const;

/** Of functions that a state version on its way may stop. */
const looking = {
  /** Name of the function that reads what was uploaded. */
  STATE_CONTENT_FUNCTION: text,
} as const;

/** Of functions that keep an organization's rows in memory. */
const listing = {
  ...endpoint,
  ...storing,
  /** Name of the function that takes snapshots of them. */
  LIST_INDEX_SNAPSHOTS_FUNCTION: text,
} as const;

/** One entry for each folder under `functions/`. */
const environments = {
  workspaces: {
    ...listing,
    /** What `global-remote-state` is when a request leaves it out (self-hosted edition, EDITION-4). */
    GLOBAL_REMOTE_STATE_DEFAULT: flag,
  },
  'workspace-list': listing,
  'workspace-locks': { ...endpoint, ...looking },
  'workspace-deletion': { ...endpoint, ...looking },
  'workspace-tags': listing,
  'remote-state-consumers': listing,
  'ssh-key': endpoint,
  'data-retention-policy': endpoint,
  runs: endpoint,
  variables: { ...listing, ...encryption },
  organizations: endpoint,
  projects: listing,
  teams: endpoint,
  integrations: { ...endpoint, ...encryption },
  'state-versions': { ...endpoint, ...storing },
  'state-content': { TABLE_NAME: text, ...storing },
  documentation: { EDITION: edition },
  fallback: {},
  admin: { TABLE_NAME: text, EDITION: edition, ...storing },
  cleanup: { TABLE_NAME: text, ...storing },
  ingest: { TABLE_NAME: text, ...storing, ...deadLetters },
  'list-index-snapshots': { TABLE_NAME: text, ...storing },
  'state-retention': { TABLE_NAME: text, EDITION: edition, ...storing },
  publish: { BUS_NAME: text, ...deadLetters },
  automation: {
    TABLE_NAME: text,
    /** What the names of the deployment's functions begin with, up to the hyphen. */
    FUNCTION_PREFIX: text,
  },
} as const satisfies Record<string, Record<string, (value: string) => unknown>>;

type Environments = typeof environments;
export type FunctionName = keyof Environments;
export const functionNames = Object.keys(environments) as FunctionName[];

/** What infrastructure must set, as strings. */
export type Variables<F extends FunctionName> = { readonly [K in keyof Environments[F]]: string };
type Values<F extends FunctionName> = {
  readonly [K in keyof Environments[F]]: Environments[F][K] extends (value: string) => infer V ? V : never;
};

/**
 * Reads and checks a function's own environment, once, at its start.
 * @throws Error naming the variable that is missing or unreadable.
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

/** Where a service of AWS is called, as its own client would find out. */
export const readService = (name: 'S3' | 'LAMBDA'): { readonly region: string; readonly endpoint?: URL } => {
  const { AWS_REGION: region = '', [`AWS_ENDPOINT_URL_${name}`]: endpoint } = process.env;
  return { region, ...(endpoint && { endpoint: new URL(endpoint) }) };
};

/** The edition that HOLDFAST_EDITION asks for at synthesis, as written; the settings of the deployment check it. */
export const readRequestedEdition = (): string | undefined => process.env['HOLDFAST_EDITION'];

/** Credentials for a table in AWS, handed on as they are. */
const credentialVariables = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_PROFILE',
  'AWS_REGION',
] as const;

/** How `npm start` and `npm run admin` run the service on this computer. */
export interface LocalSettings {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly dataFolder: string;
  /** Another engine than the embedded one. */
  readonly dynamodbEndpoint?: string;
  /** Workers per function, at most. */
  readonly concurrency: number;
  readonly edition?: Edition;
  readonly credentials: Readonly<Record<string, string>>;
}

/** @throws RangeError that names the variable and what it must be. */
export const readLocalSettings = (): LocalSettings => {
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
  const dynamodbEndpoint = read('HOLDFAST_DYNAMODB_ENDPOINT', httpUrl);
  const chosenEdition = read('HOLDFAST_EDITION', edition);
  return {
    host: read('HOLDFAST_HOST', text) ?? '127.0.0.1',
    port: read('PORT', wholeNumber(0, 65_535)) ?? 8080,
    dataFolder: read('HOLDFAST_DATA', text) ?? '.holdfast',
    concurrency: read('HOLDFAST_CONCURRENCY', wholeNumber(1, 64)) ?? 8,
    ...(dynamodbEndpoint !== undefined && { dynamodbEndpoint }),
    ...(chosenEdition !== undefined && { edition: chosenEdition }),
    credentials: Object.fromEntries(
      credentialVariables.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
    ),
  };
};

/** The token that a command at the terminal presents: in the environment, where no list of processes shows it. */
export const readToken = (): string | undefined => process.env['HOLDFAST_TOKEN'] || undefined;
