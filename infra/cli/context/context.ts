import { join } from 'node:path';
import { usageError } from '../failure.ts';
import type { Io } from '../io.ts';
import { readCloudBlock } from './cloud-block.ts';
import { findToken } from './credentials.ts';
import { readJsonObject } from './files.ts';
import {
  type Address,
  hasScheme,
  isLoopback,
  missingToken,
  normalizeHost,
  readOrigin,
  readToken,
  type Service,
} from './service.ts';
import { locateSettings, readSettings } from './settings.ts';
import { readTerraformFiles } from './terraform-files.ts';

/** The flags that every command has. */
export interface GlobalFlags {
  readonly url: string | undefined;
  readonly org: string | undefined;
}

/** The service, the organization and the workspace of a command, from its flags, the environment and the folder. */
export interface Context {
  readonly flags: GlobalFlags;
  /** Returns the service, also without a token. @throws Failure `usage` if nothing names one. */
  readonly address: () => Promise<Address>;
  /** Returns the service with the token of the caller. @throws Failure `notAuthenticated` if there is none. */
  readonly service: () => Promise<Service>;
  /** Returns the name of the organization, or undefined if nothing names it. */
  readonly organization: () => Promise<string | undefined>;
  /** Returns the name of the workspace of this folder, for the argument `.`. */
  readonly workspace: () => Promise<string>;
  /** Returns the emulated AWS services, if the service is the local one of this folder. */
  readonly emulation: () => Promise<Emulation | undefined>;
}

/** The file that a local service writes (`npm start`). */
const LOCAL = '.holdfast/local.json';

/** The emulated AWS services of a local service, with the names of what they contain. */
export interface Emulation {
  readonly region: string;
  readonly tableName: string;
  readonly secretsKeyArn: string;
  readonly endpoints: { readonly dynamodb: string; readonly kms: string };
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

interface LocalAccess {
  readonly baseUrl?: unknown;
  readonly organization?: unknown;
  readonly token?: unknown;
  readonly aws?: Emulation;
}

/** Runs a function with the first call, and returns its result to every call. */
const once = <T>(run: () => Promise<T>): (() => Promise<T>) => {
  let result: Promise<T> | undefined;
  return () => {
    result ??= run();
    return result;
  };
};

/**
 * Reads an address as the user writes it. The name of a host without a scheme means what it means to terraform, whose
 * configuration may send its requests to another URL.
 * @param source names the place of the address in errors.
 */
export const resolveAddress = async (io: Io, address: string, source: string): Promise<Address> => {
  const origin = readOrigin(address, source);
  const { host } = new URL(origin);
  if (!hasScheme(address)) {
    for (const { path, services } of await readTerraformFiles(io)) {
      const url = services.get(host);
      if (url !== undefined) return { host, origin: readOrigin(url, `The address of ${host} in ${path}`), source };
    }
  }
  return { host, origin, source };
};

/** Opens the context of a command. The first place that names a value decides. */
export const openContext = (io: Io, flags: GlobalFlags): Context => {
  const { env, cwd } = io;
  const cloud = once(() => readCloudBlock(io));
  const settings = once(() => readSettings(io));
  const settingsPath = locateSettings(io) ?? '';

  const local = once(async () => {
    const access = ((await readJsonObject(join(cwd, LOCAL))) ?? {}) as LocalAccess;
    const { baseUrl, organization, token, aws } = access;
    // The file comes with the folder, so it may only name a service of this computer.
    if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl) || !isLoopback(new URL(baseUrl))) return undefined;
    return {
      address: await resolveAddress(io, baseUrl, LOCAL),
      organization: typeof organization === 'string' ? organization : undefined,
      token: typeof token === 'string' ? token : undefined,
      aws,
    };
  });

  const cloudAddress = once(async () => {
    const { hostname, hostnameSource } = await cloud();
    if (hostname === undefined) return undefined;
    if (normalizeHost(hostname) === undefined)
      throw usageError(`The host "${hostname}" of ${hostnameSource} is not a name.`);
    return resolveAddress(io, hostname, hostnameSource);
  });

  const address = once(async (): Promise<Address> => {
    if (flags.url !== undefined) return resolveAddress(io, flags.url, '--url');
    if (env['HOLDFAST_URL']) return resolveAddress(io, env['HOLDFAST_URL'], 'HOLDFAST_URL');
    const ofFolder = await cloudAddress();
    if (ofFolder !== undefined) return ofFolder;
    const { url } = await settings();
    if (url !== undefined) return resolveAddress(io, url, settingsPath);
    const ofComputer = await local();
    if (ofComputer !== undefined) return ofComputer.address;
    throw usageError('No service is named.', 'Run "holdfast login HOST", or set HOLDFAST_URL.');
  });

  /** Returns whether a place that names an organization means the present service. */
  const isPresent = async (other: Address): Promise<boolean> => {
    const { host, origin } = await address();
    return other.host === host || other.origin === origin;
  };

  /**
   * Returns the host to which `HOLDFAST_TOKEN` belongs. The variable does not say it, and a folder must not choose it: its
   * author could get the token.
   */
  const hostOfToken = async (): Promise<string | undefined> => {
    const url = env['HOLDFAST_URL'] || flags.url || (await settings()).url;
    return url === undefined ? undefined : (await resolveAddress(io, url, 'The address of HOLDFAST_TOKEN')).host;
  };

  const service = once(async (): Promise<Service> => {
    const present = await address();
    const given = env['HOLDFAST_TOKEN'];
    if (given && (await hostOfToken()) === present.host) {
      return { ...present, token: readToken(given, 'HOLDFAST_TOKEN'), tokenSource: 'HOLDFAST_TOKEN' };
    }
    const found = await findToken(io, present.host);
    if (found !== undefined) return { ...present, token: found.token, tokenSource: found.source };
    const ofComputer = await local();
    if (ofComputer?.token !== undefined && ofComputer.address.origin === present.origin) {
      return { ...present, token: readToken(ofComputer.token, LOCAL), tokenSource: LOCAL };
    }
    throw missingToken(
      present,
      given
        ? `HOLDFAST_TOKEN is only sent to the host that HOLDFAST_URL names. Set HOLDFAST_URL to ${present.host} to send it there.`
        : undefined,
    );
  });

  const organization = async (): Promise<string | undefined> => {
    const named = flags.org ?? (env['HOLDFAST_ORG'] || undefined);
    if (named !== undefined) return named;
    const ofFolder = await cloudAddress();
    if (ofFolder === undefined || (await isPresent(ofFolder))) {
      const { organization: name } = await cloud();
      if (name !== undefined) return name;
    }
    const { url, organization: last } = await settings();
    if (last !== undefined && url !== undefined && (await isPresent(await resolveAddress(io, url, settingsPath)))) {
      return last;
    }
    const ofComputer = await local();
    return ofComputer !== undefined && (await isPresent(ofComputer.address)) ? ofComputer.organization : undefined;
  };

  const workspace = async (): Promise<string> => {
    const hint = 'Name the workspace in place of ".".';
    const { workspace: name, hostnameSource } = await cloud();
    if (name === undefined) throw usageError('No cloud block in this folder names a workspace.', hint);
    const ofFolder = await cloudAddress();
    if (ofFolder !== undefined && !(await isPresent(ofFolder))) {
      const { host, source } = await address();
      throw usageError(
        `The workspace of this folder is one of ${ofFolder.host} (${hostnameSource}), and ${source} names ${host}.`,
        hint,
      );
    }
    return name;
  };

  const emulation = async (): Promise<Emulation | undefined> => {
    const ofComputer = await local();
    return ofComputer?.address.origin === (await address()).origin ? ofComputer.aws : undefined;
  };

  return { flags, address, service, organization, workspace, emulation };
};
