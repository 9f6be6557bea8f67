import { describe, expect, it } from 'vitest';
import { pipelineLines } from '../../../functions/console/app/lib/pipeline-lines.ts';
import {
  claimProblem,
  enterConditions,
  type PlatformName,
  platformOf,
  platforms,
  readConditions,
} from '../../../functions/console/app/lib/pipeline-platforms.ts';
import type { ClaimCondition } from '../../../shared/client/workload-identities.ts';
import { findMissingOwner } from '../../../shared/domain/workload-identities/issuers.ts';

const convert = (platform: PlatformName, conditions: readonly ClaimCondition[]): readonly ClaimCondition[] =>
  readConditions(platform, enterConditions(platform, conditions)).map(({ condition }) => condition);

describe('the form of workload identities', () => {
  it('returns each condition as it was stored, whichever field shows it', () => {
    const conditions: readonly ClaimCondition[] = [
      { claim: '/repository_id', equals: ['1', '2'] },
      { claim: '/ref', matches: 'refs/heads/*' },
      { claim: '/ref', equals: ['refs/heads/*', 'refs/heads/main'] },
      { claim: '/repository_owner_id', equals: ['with a space', 'with,comma'] },
      { claim: '/environment', equals: ['production'] },
      { claim: '/sub', matches: 'repo:acme/*' },
    ];
    for (const platform of ['github', 'gitlab', 'aws', 'other'] as const) {
      const converted = convert(platform, conditions);
      expect(converted).toHaveLength(conditions.length);
      expect(converted).toEqual(expect.arrayContaining([...conditions]));
    }
  });

  it('leaves out empty fields, and splits ids by commas and values by lines', () => {
    const entered = {
      offered: { '/repository_id': ' 1, 2 ', '/ref': ' ' },
      others: [
        { claim: '', kind: 'equals', text: '' },
        { claim: '/sub', kind: 'equals', text: 'one\n two \n' },
      ],
    } as const;
    expect(readConditions('github', entered)).toEqual([
      { field: '/repository_id', condition: { claim: '/repository_id', equals: ['1', '2'] } },
      { field: 1, condition: { claim: '/sub', equals: ['one', 'two'] } },
    ]);
  });

  it('completes the name of a branch, and says which entries no token can match', () => {
    const refOf = (text: string) => readConditions('github', { offered: { '/ref': text }, others: [] })[0]?.condition;
    expect(refOf('main')).toEqual({ claim: '/ref', matches: 'refs/heads/main' });
    expect(refOf('refs/tags/v*')).toEqual({ claim: '/ref', matches: 'refs/tags/v*' });
    expect(convert('github', [{ claim: '/ref', matches: 'main' }])).toEqual([{ claim: '/ref', matches: 'main' }]);

    const problemOf = (platform: PlatformName, label: string, text: string) =>
      platforms[platform].claims.filter((claim) => claim.label === label).map((claim) => claimProblem(claim, text))[0];
    expect(problemOf('github', 'Repository ID', 'acme/web-shop')).toBe('Repository ID: enter a number, not a name.');
    expect(problemOf('github', 'Repository ID', '1, 2')).toBeUndefined();
    expect(problemOf('aws', 'ARN of the role', 'deploy')).toBe('ARN of the role: it begins with arn:.');
    expect(problemOf('aws', 'ARN of the role', '')).toBeUndefined();
  });

  it('offers the ids with which the service accepts the issuers of GitHub and GitLab', () => {
    for (const { issuer, claims } of [platforms.github, platforms.gitlab]) {
      const ids = claims.filter(({ isId }) => isId);
      expect(ids).toHaveLength(2);
      for (const { claim } of ids) expect(findMissingOwner(issuer, [{ claim, equals: ['1'] }])).toBeUndefined();
    }
  });

  it('recognizes the platform by the issuer, and a GitLab of its own by its claims', () => {
    const conditions = [{ claim: '/project_id', equals: ['1'] }];
    expect(platformOf('https://token.actions.githubusercontent.com', conditions)).toBe('github');
    expect(platformOf('https://github.example.com/_services/token', [])).toBe('github');
    expect(platformOf('https://git.example.com', conditions)).toBe('gitlab');
    expect(platformOf('https://5f8e.tokens.sts.global.api.aws', [])).toBe('aws');
    expect(platformOf('https://ci.example.com', [])).toBe('other');
  });
});

describe('the lines of a pipeline', () => {
  const pipeline = {
    id: 'wi-2jPTvTDXBPFzPGbT',
    audience: "https://a'b",
    origin: 'https://hold-fast.example.com',
    variable: 'TF_TOKEN_hold__fast_example_com',
    mayApply: false,
  };

  it('name the workload identity, the audience and the variable of terraform on each platform', () => {
    for (const platform of ['github', 'gitlab', 'aws', 'other'] as const) {
      const lines = pipelineLines(platform, pipeline);
      expect(lines).toContain('-d client_id=wi-2jPTvTDXBPFzPGbT');
      expect(lines).toContain('TF_TOKEN_hold__fast_example_com');
      expect(lines).toContain('https://hold-fast.example.com/oauth2/revoke');
    }
  });

  it('apply only if the token is allowed to', () => {
    expect(pipelineLines('github', pipeline)).toContain('terraform plan');
    expect(pipelineLines('github', { ...pipeline, mayApply: true })).toContain('terraform apply -auto-approve');
  });

  it('quote an audience for its place', () => {
    expect(pipelineLines('github', pipeline)).toContain("audience=https%3A%2F%2Fa'b");
    expect(pipelineLines('gitlab', pipeline)).toContain(`aud: "https://a'b"`);
    expect(pipelineLines('aws', pipeline)).toContain(`--audience 'https://a'\\''b'`);
  });
});
