import { describe, expect, test } from 'vitest';
import type { ClaimCondition } from '../../../../shared/domain/directory/records.ts';
import { findIssuerProblem, findMissingOwner } from '../../../../shared/domain/workload-identities/issuers.ts';

describe('an issuer', () => {
  test.each([
    'https://token.actions.githubusercontent.com',
    'https://gitlab.example.com:8443/',
    'https://oidc.circleci.com/org/8b1f2f6e-0000-4000-8000-000000000000',
    'https://login.example.com/realms/ci',
  ])('may be %s', (issuer) => {
    expect(findIssuerProblem(issuer, false)).toBeUndefined();
  });

  test.each([
    'token.actions.githubusercontent.com',
    'http://token.actions.githubusercontent.com',
    'http://127.0.0.1:8080',
    'https://127.0.0.1',
    'https://2130706433',
    'https://0x7f.1',
    'https://[::1]',
    'https://169.254.169.254/latest',
    'https://localhost',
    'https://localhost.',
    'https://issuer',
    'https://issuer.localhost',
    'https://metadata.google.internal',
    'https://printer.local',
    'https://user:password@issuer.example.com',
    'https://issuer.example.com/?a=b',
    'https://issuer.example.com/#a',
    'https://issuer.example.com/a/../b',
    'HTTPS://Issuer.example.com',
    ' https://issuer.example.com',
    'ftp://issuer.example.com',
    'file:///etc/passwd',
  ])('may not be %s', (issuer) => {
    expect(findIssuerProblem(issuer, false)).toBeDefined();
  });

  test('may be on this machine where the local service allows it', () => {
    for (const issuer of ['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080']) {
      expect(findIssuerProblem(issuer, true)).toBeUndefined();
    }
    for (const issuer of ['http://10.0.0.1', 'http://example.com', 'https://127.0.0.1', 'http://127.0.0.1.evil.com']) {
      expect(findIssuerProblem(issuer, true)).toBeDefined();
    }
  });
});

describe('an issuer that serves everybody', () => {
  const GITHUB = 'https://token.actions.githubusercontent.com';
  const uuid = '8b1f2f6e-1111-4111-8111-222222222222';
  const equals = (claim: string, ...values: string[]): ClaimCondition => ({ claim, equals: values });

  test.each<[string, ClaimCondition]>([
    [GITHUB, equals('/repository_id', '1')],
    [`${GITHUB}/acme`, equals('/repository_owner_id', '1')],
    [GITHUB, equals('/sub', 'repo:acme@1/network@2:ref:refs/heads/main')],
    [GITHUB, { claim: '/sub', matches: 'repo:acme@1/*@2:ref:refs/heads/*' }],
    ['https://gitlab.com', equals('/project_id', '1')],
    ['https://agent.buildkite.com', equals('/organization_id', uuid)],
    ['https://oidc.circleci.com/org/x', equals('/oidc.circleci.com~1project-id', uuid)],
    ['https://oidc.circleci.com/org/x', { claim: '/sub', matches: `org/${uuid}/project/${uuid}/user/*` }],
    ['https://api.bitbucket.org/2.0/workspaces/x', equals('/repositoryUuid', uuid)],
    ['https://app.terraform.io', equals('/terraform_workspace_id', 'ws-1')],
    ['https://accounts.google.com', equals('/sub', '110169484474386276334')],
    ['https://gitlab.example.com', equals('/sub', 'x')],
  ])('%s is accepted with %o', (issuer, condition) => {
    expect(findMissingOwner(issuer, [equals('/ref', 'main'), condition])).toBeUndefined();
  });

  test.each<[string, ClaimCondition]>([
    [GITHUB, equals('/sub', 'repo:acme/network:ref:refs/heads/main')],
    [GITHUB, equals('/sub', 'repo:acme@1/network@2:x', 'repo:acme/network:x')],
    [GITHUB, { claim: '/sub', matches: 'repo:acme@*/network@2:x' }],
    [GITHUB, { claim: '/repository_id', matches: '1*' }],
    [GITHUB, equals('/repository', 'acme/network')],
    [GITHUB, equals('/repository_owner', 'acme')],
    ['https://gitlab.com', equals('/sub', 'project_path:acme/network:ref_type:branch:ref:main')],
    ['https://gitlab.com', equals('/namespace_path', 'acme')],
    ['https://gitlab.com.', equals('/namespace_path', 'acme')],
    ['https://accounts.google.com', equals('/email', 'build@acme.iam.gserviceaccount.com')],
    ['https://accounts.google.com', { claim: '/sub', matches: '1*' }],
    ['https://agent.buildkite.com', equals('/organization_slug', 'acme')],
    ['https://app.terraform.io', equals('/terraform_organization_name', 'acme')],
  ])('%s is rejected with %o', (issuer, condition) => {
    expect(findMissingOwner(issuer, [condition])).toMatch(/^Everybody can get a token of /);
  });
});
