import type { ClaimCondition } from '../../../../shared/client/workload-identities.ts';

/** A claim that the form of a platform offers as a field of its own. */
export interface OfferedClaim {
  /** JSON pointer to the claim. */
  readonly claim: string;
  readonly label: string;
  readonly hint: string;
  /** Whether the claim is an id that is never given to somebody else. */
  readonly isId: boolean;
  /** Whether the claim is the full name of a branch or a tag. The name of a branch is enough for the form. */
  readonly isRef?: boolean;
  /** Beginning of each value of the claim. */
  readonly beginning?: string;
}

/** A platform of pipelines, with what the form fills in. */
interface Platform {
  readonly label: string;
  /** Issuer of its identity tokens; empty if every customer has another one. */
  readonly issuer: string;
  readonly issuerHint: string;
  readonly claims: readonly OfferedClaim[];
}

export type PlatformName = 'github' | 'gitlab' | 'aws' | 'other';

/** The platforms that the form offers. */
export const platforms: Readonly<Record<PlatformName, Platform>> = {
  github: {
    label: 'GitHub Actions',
    issuer: 'https://token.actions.githubusercontent.com',
    issuerHint: 'GitHub Enterprise Server has its own: https://HOST/_services/token.',
    claims: [
      {
        claim: '/repository_id',
        label: 'Repository ID',
        hint: 'The command gh api repos/OWNER/REPOSITORY --jq .id prints it. Separate several IDs by commas.',
        isId: true,
      },
      {
        claim: '/repository_owner_id',
        label: 'Owner ID',
        hint: 'The command gh api users/OWNER --jq .id prints it. Alone, it admits all repositories of the owner.',
        isId: true,
      },
      {
        claim: '/ref',
        label: 'Branch or tag',
        hint: 'The name of a branch such as main, or of a tag such as refs/tags/v*. * stands for any characters except / and :.',
        isId: false,
        isRef: true,
      },
      {
        claim: '/environment',
        label: 'Environment',
        hint: 'Such as production. Only jobs with this environment get tokens.',
        isId: false,
      },
    ],
  },
  gitlab: {
    label: 'GitLab CI',
    issuer: 'https://gitlab.com',
    issuerHint: 'For your own GitLab, its address.',
    claims: [
      {
        claim: '/project_id',
        label: 'Project ID',
        hint: 'It is on the page of the project, in the menu next to its name. Separate several IDs by commas.',
        isId: true,
      },
      {
        claim: '/namespace_id',
        label: 'Group ID',
        hint: 'It is on the page of the group, in the menu next to its name. Alone, it admits all projects directly in the group.',
        isId: true,
      },
      {
        claim: '/ref_path',
        label: 'Branch or tag',
        hint: 'The name of a branch such as main, or of a tag such as refs/tags/v*. * stands for any characters except / and :.',
        isId: false,
        isRef: true,
      },
      {
        claim: '/environment',
        label: 'Environment',
        hint: 'Such as production. Only jobs with this environment get tokens.',
        isId: false,
      },
    ],
  },
  aws: {
    label: 'AWS',
    issuer: '',
    issuerHint:
      'Each account has its own. The command aws iam get-outbound-web-identity-federation-info prints it, after aws iam enable-outbound-web-identity-federation.',
    claims: [
      {
        claim: '/sub',
        label: 'ARN of the role',
        hint: 'Such as arn:aws:iam::123456789012:role/deploy. * stands for any characters except / and :.',
        isId: false,
        beginning: 'arn:',
      },
    ],
  },
  other: {
    label: 'Another issuer',
    issuer: '',
    issuerHint: 'The claim iss of its tokens, exactly as they have it.',
    claims: [],
  },
};

/** Recognizes the platform of a workload identity. */
export const platformOf = (issuer: string, conditions: readonly ClaimCondition[]): PlatformName => {
  const url = URL.parse(issuer);
  const host = url?.hostname ?? '';
  if (host === 'token.actions.githubusercontent.com' || url?.pathname === '/_services/token') return 'github';
  if (host.endsWith('.tokens.sts.global.api.aws')) return 'aws';
  const isOfGitLab = ({ claim }: ClaimCondition) =>
    platforms.gitlab.claims.some((one) => one.isId && one.claim === claim);
  return host === 'gitlab.com' || conditions.some(isOfGitLab) ? 'gitlab' : 'other';
};

/** A condition without a field of its own. */
export interface EnteredCondition {
  readonly claim: string;
  readonly kind: 'equals' | 'matches';
  /** The pattern, or the values in lines of their own. */
  readonly text: string;
}

/** Conditions as the form has them. */
export interface EnteredConditions {
  /** Texts of the claims that the platform offers, by claim. */
  readonly offered: Readonly<Record<string, string>>;
  readonly others: readonly EnteredCondition[];
}

/** Beginning of the full names of branches and tags. */
const REFS = 'refs/';

const splitIds = (text: string): string[] => text.split(/[\s,]+/).filter((id) => id !== '');

const splitLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Returns the text with which the field of a claim shows a condition; undefined if the field cannot show it. */
const toText = ({ isId, isRef = false }: OfferedClaim, { equals, matches }: ClaimCondition): string | undefined => {
  if (isRef) return matches?.startsWith(REFS) ? matches : undefined;
  if (!isId) return matches;
  return equals?.every((id) => /^[^\s,]+$/.test(id)) === true ? equals.join(', ') : undefined;
};

/** Converts conditions for the form of a platform. */
export const enterConditions = (platform: PlatformName, conditions: readonly ClaimCondition[]): EnteredConditions => {
  const offered: Record<string, string> = {};
  const others: EnteredCondition[] = [];
  for (const condition of conditions) {
    const { claim, equals, matches } = condition;
    const field = platforms[platform].claims.find((one) => one.claim === claim && offered[claim] === undefined);
    const text = field && toText(field, condition);
    if (text !== undefined) offered[claim] = text;
    else if (equals === undefined) others.push({ claim, kind: 'matches', text: matches ?? '' });
    else others.push({ claim, kind: 'equals', text: equals.join('\n') });
  }
  return { offered, others };
};

const isEmpty = ({ claim, text }: EnteredCondition): boolean => claim.trim() === '' && text.trim() === '';

/**
 * Converts the entries of a form to conditions. Fields without a text are left out.
 * @returns each condition with its field: the claim, or the position among the others.
 */
export const readConditions = (
  platform: PlatformName,
  { offered, others }: EnteredConditions,
): readonly { readonly field: string | number; readonly condition: ClaimCondition }[] => [
  ...platforms[platform].claims.flatMap(({ claim, isId, isRef = false }) => {
    const text = (offered[claim] ?? '').trim();
    if (text === '') return [];
    const pattern = isRef && !text.startsWith(REFS) ? `${REFS}heads/${text}` : text;
    return [{ field: claim, condition: isId ? { claim, equals: splitIds(text) } : { claim, matches: pattern } }];
  }),
  ...others.flatMap((other, index) => {
    if (isEmpty(other)) return [];
    const claim = other.claim.trim();
    const condition =
      other.kind === 'equals' ? { claim, equals: splitLines(other.text) } : { claim, matches: other.text.trim() };
    return [{ field: index, condition }];
  }),
];

/** Returns why a text in the field of a claim can match no token; undefined if it can, or if it is empty. */
export const claimProblem = ({ isId, label, beginning = '' }: OfferedClaim, text = ''): string | undefined => {
  if (isId && splitIds(text).some((id) => !/^\d+$/.test(id))) return `${label}: enter a number, not a name.`;
  const entered = text.trim();
  return entered !== '' && !entered.startsWith('*') && !entered.startsWith(beginning)
    ? `${label}: it begins with ${beginning}.`
    : undefined;
};

/** Describes a condition in one line, such as `/ref matches refs/heads/*`. */
export const describeCondition = ({ claim, equals, matches }: ClaimCondition): string =>
  equals === undefined ? `${claim} matches ${matches}` : `${claim} is ${equals.join(' or ')}`;
