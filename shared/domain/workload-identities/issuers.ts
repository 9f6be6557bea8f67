import type { ClaimCondition } from '../directory/records.ts';
import { isLoopbackUrl } from '../loopback-url.ts';

/** Claims of an issuer that serves customers of many companies, by which they differ for good (WI-5). */
interface SharedIssuer {
  readonly name: string;
  /** JSON pointers to ids that are never given to somebody else. */
  readonly claims: readonly string[];
  /** Form of a `sub` that contains such ids; absent if it contains names only. */
  readonly subject?: RegExp;
}

/** The issuers that serve everybody, by their host. */
const sharedIssuers: Readonly<Record<string, SharedIssuer>> = {
  'token.actions.githubusercontent.com': {
    name: 'GitHub',
    claims: ['/repository_id', '/repository_owner_id', '/enterprise_id'],
    // Names of GitHub never contain `@`, so a name cannot imitate the ids.
    subject: /^repo:[^/:@]+@\d+\//,
  },
  'accounts.google.com': { name: 'Google', claims: ['/sub'] },
  'gitlab.com': { name: 'GitLab', claims: ['/project_id', '/namespace_id'] },
  'agent.buildkite.com': { name: 'Buildkite', claims: ['/organization_id', '/pipeline_id'] },
  'oidc.circleci.com': {
    name: 'CircleCI',
    claims: ['/oidc.circleci.com~1project-id', '/oidc.circleci.com~1org-id'],
    subject: /^org\/[0-9a-f-]{36}\//,
  },
  'api.bitbucket.org': {
    name: 'Bitbucket',
    claims: ['/repositoryUuid', '/workspaceUuid'],
    subject: /^\{[0-9a-f-]{36}\}:/,
  },
  'app.terraform.io': {
    name: 'HCP Terraform',
    claims: ['/terraform_organization_id', '/terraform_project_id', '/terraform_workspace_id'],
  },
};

/** Returns the host name of a URL, without the dot that may end it. */
const hostOf = (url: URL | null): string => url?.hostname.replace(/\.$/, '') ?? '';

const valuesOf = (condition: ClaimCondition): readonly string[] =>
  'equals' in condition ? condition.equals : [condition.matches];

const isSpecific = ({ claims, subject }: SharedIssuer, condition: ClaimCondition): boolean => {
  if ('equals' in condition && claims.includes(condition.claim)) return true;
  // The form names the ids without `*`, so a pattern of this form names one owner.
  return (
    condition.claim === '/sub' && subject !== undefined && valuesOf(condition).every((value) => subject.test(value))
  );
};

/**
 * Finds what the conditions lack for an issuer that serves everybody: anybody can have its tokens, and names can be given
 * to somebody else (WI-5).
 * @returns a sentence; undefined if nothing is missing, or if the issuer serves one customer only.
 */
export const findMissingOwner = (issuer: string, conditions: readonly ClaimCondition[]): string | undefined => {
  const shared = sharedIssuers[hostOf(URL.parse(issuer))];
  if (shared === undefined || conditions.some((condition) => isSpecific(shared, condition))) return undefined;
  const claims = shared.claims.join(', ');
  return `Everybody can get a token of ${shared.name}: add a condition with equals on one of ${claims}${
    shared.subject ? ', or on a /sub that contains the id' : ''
  }`;
};

/** Suffixes of host names that exist in private networks only. */
const PRIVATE_SUFFIXES = ['.localhost', '.local', '.internal', '.intranet', '.lan', '.home.arpa', '.onion'];

/** Tells whether a host name of a URL is an address. URLs have IPv4 addresses in their usual form, and IPv6 in brackets. */
const isAddress = (host: string): boolean => host.startsWith('[') || /^\d+(\.\d+){3}$/.test(host);

/**
 * Finds what is wrong with the URL of an issuer, or of its keys (WI-3).
 * @param allowsLoopback whether `http` is allowed for this machine.
 * @returns the end of a sentence; undefined if nothing is wrong.
 */
export const findUrlProblem = (text: string, allowsLoopback: boolean): string | undefined => {
  const url = URL.parse(text);
  if (url === null) return 'must be a URL such as https://token.actions.githubusercontent.com';
  if (url.username !== '' || url.password !== '' || url.hash !== '') return 'must have no user and no fragment';
  if (allowsLoopback && isLoopbackUrl(url)) return undefined;
  if (url.protocol !== 'https:') return 'must begin with https://';
  const host = hostOf(url);
  if (isAddress(host)) return 'must have a host name, not an address';
  const isPrivate = !host.includes('.') || PRIVATE_SUFFIXES.some((suffix) => host.endsWith(suffix));
  return isPrivate ? 'must have a host name of the public internet' : undefined;
};

/**
 * Finds what is wrong with an issuer (WI-3). It is compared with the claim `iss` character by character, so it must be in the
 * form that issuers use.
 */
export const findIssuerProblem = (issuer: string, allowsLoopback: boolean): string | undefined => {
  const problem = findUrlProblem(issuer, allowsLoopback);
  if (problem !== undefined) return problem;
  const url = new URL(issuer);
  if (url.search !== '' || issuer.includes('?')) return 'must have no query';
  return url.href === issuer || url.href === `${issuer}/` ? undefined : `must be in its usual form, ${url.href}`;
};
