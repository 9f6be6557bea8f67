import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CachePolicy, OriginRequestPolicy } from 'aws-cdk-lib/aws-cloudfront';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployerPolicies } from '../../infra/deploy/policies.ts';
import { readSettings } from '../../infra/settings/settings.ts';
import { CLIENT_ADDRESS_HEADER, ORIGIN_SECRET_HEADER } from '../../shared/gate/origin-check.ts';
import { type Resource, resourcesOf, type Template, theOnly } from '../support/local/assembly.ts';
import { DISTRIBUTION_EXAMPLE, synthesizeExample } from '../support/package/example-app.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

let folder: string;
let distribution: Template;
let firewall: Template;
// biome-ignore lint/suspicious/noExplicitAny: compared by assertions.
let manifest: any;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-distribution-'));
  // A finding of cdk-nag fails the synthesis.
  await synthesizeExample(DISTRIBUTION_EXAMPLE, folder);
  const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  distribution = read('Distribution.template.json');
  firewall = read('Firewall.template.json');
  manifest = read('manifest.json');
});
afterAll(() => rmSync(folder, { recursive: true }));

const config = () => theOnly(distribution, 'AWS::CloudFront::Distribution').Properties.DistributionConfig;

describe('the example of a distribution', () => {
  test('compiles, and uses the versions of this repository', async () => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    expect((await run(process.execPath, [tsc, '-p', DISTRIBUTION_EXAMPLE])).stdout).toBe('');
    const { dependencies, devDependencies } = JSON.parse(
      readFileSync(join(DISTRIBUTION_EXAMPLE, 'package.json'), 'utf8'),
    );
    const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(own.devDependencies).toMatchObject({ ...dependencies, ...devDependencies });
  });

  test('serves its host name over TLS only, behind the web ACL', () => {
    expect(config()).toMatchObject({
      Aliases: ['holdfast.example.com'],
      WebACLId: expect.stringMatching(/^arn:aws:wafv2:us-east-1:/),
      ViewerCertificate: {
        AcmCertificateArn: expect.stringMatching(/^arn:aws:acm:us-east-1:/),
        MinimumProtocolVersion: 'TLSv1.2_2021',
      },
    });
    for (const behavior of [config().DefaultCacheBehavior, ...config().CacheBehaviors])
      expect(behavior.ViewerProtocolPolicy).toBe('https-only');
  });

  test('caches nothing but the files of the console with a hash in their name', () => {
    const [disabled, optimized] = [CachePolicy.CACHING_DISABLED, CachePolicy.CACHING_OPTIMIZED];
    expect(config().DefaultCacheBehavior.CachePolicyId).toBe(disabled.cachePolicyId);
    expect(config().CacheBehaviors).toMatchObject([
      { PathPattern: '/assets/*', CachePolicyId: optimized.cachePolicyId },
    ]);
    const errors = new Map(
      config().CustomErrorResponses.map(
        ({ ErrorCode, ErrorCachingMinTTL }: { ErrorCode: number; ErrorCachingMinTTL: number }) => [
          ErrorCode,
          ErrorCachingMinTTL,
        ],
      ),
    );
    for (const status of [400, 403, 404, 405, 500, 502, 503, 504]) expect(errors.get(status), `${status}`).toBe(0);
  });

  test('passes every method, header and query to the API, with the address of the client', () => {
    const { AllowedMethods, OriginRequestPolicyId, FunctionAssociations } = config().DefaultCacheBehavior;
    expect(AllowedMethods).toEqual(expect.arrayContaining(['GET', 'POST', 'PATCH', 'DELETE', 'OPTIONS']));
    expect(OriginRequestPolicyId).toBe(OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER.originRequestPolicyId);
    const [id, { Properties }] = [...resourcesOf(distribution, 'AWS::CloudFront::Function')][0] as [string, Resource];
    expect(FunctionAssociations).toEqual([
      { EventType: 'viewer-request', FunctionARN: { 'Fn::GetAtt': [id, 'FunctionARN'] } },
    ]);
    // The name is unique in an account, for deployments of other names and in other regions.
    expect(Properties.Name).toEqual({ 'Fn::Join': ['-', ['holdfast-client-address', { Ref: 'AWS::Region' }]] });
    const handler = new Function(`${Properties.FunctionCode}; return handler;`)();
    const headers = { [CLIENT_ADDRESS_HEADER]: { value: 'claimed' }, accept: { value: '*/*' } };
    expect(handler({ viewer: { ip: '203.0.113.7' }, request: { headers } })).toEqual({
      headers: { [CLIENT_ADDRESS_HEADER]: { value: '203.0.113.7' }, accept: { value: '*/*' } },
    });
  });

  test('sends a generated secret that the template only refers to, in the header that the functions check', () => {
    const [origin] = config().Origins;
    expect(config().Origins).toHaveLength(1);
    const [{ HeaderName, HeaderValue }] = origin.OriginCustomHeaders;
    expect(HeaderName).toBe(ORIGIN_SECRET_HEADER);
    expect(theOnly(distribution, 'AWS::SecretsManager::Secret').Properties).not.toHaveProperty('SecretString');
    const [id] = resourcesOf(distribution, 'AWS::SecretsManager::Secret').keys();
    expect(HeaderValue).toEqual({
      'Fn::Join': ['', ['{{resolve:secretsmanager:', { Ref: id }, ':SecretString:::}}']],
    });
    expect(distribution.Outputs?.['OriginSecretArns']?.Value).toEqual({ Ref: id });
  });

  test('gives the secret a name that the deployer of Holdfast may read, and an ARN that its setting accepts', () => {
    const { Name } = theOnly(distribution, 'AWS::SecretsManager::Secret').Properties;
    const arn = `arn:aws:secretsmanager:eu-west-1:111122223333:secret:${Name}-aBcDeF`;
    const readable = Object.values(deployerPolicies('holdfast'))
      .flatMap(({ Statement }) => Statement)
      .find(({ Action }) => Action.includes('secretsmanager:GetSecretValue'))?.Resource;
    expect(readable?.map((pattern) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(arn))).toEqual([true]);
    expect(readSettings({ originSecretArns: arn }).originSecretArns).toEqual([arn]);
  });

  test('creates a web ACL for CloudFront in us-east-1 that blocks addresses above the rate, as clients understand it', () => {
    const { Properties } = theOnly(firewall, 'AWS::WAFv2::WebACL');
    expect(manifest.artifacts.Firewall.environment).toMatch(/\/us-east-1$/);
    // Web ACLs for deployments of one name in other regions have other stacks and metrics.
    expect(manifest.artifacts.Firewall.properties.stackName).toBe('holdfast-firewall-eu-west-1');
    expect(Properties.VisibilityConfig.MetricName).toBe('holdfast-firewall-eu-west-1-requests');
    expect(Properties).toMatchObject({ Scope: 'CLOUDFRONT', DefaultAction: { Allow: {} } });
    const [{ Statement, Action }] = Properties.Rules;
    expect(Statement.RateBasedStatement).toEqual({ Limit: 5_000, AggregateKeyType: 'IP', EvaluationWindowSec: 300 });
    const { ResponseCode, ResponseHeaders, CustomResponseBodyKey } = Action.Block.CustomResponse;
    expect(ResponseCode).toBe(429);
    expect(Number(ResponseHeaders.find(({ Name }: { Name: string }) => Name === 'x-ratelimit-reset').Value)).toBe(30);
    expect(JSON.parse(Properties.CustomResponseBodies[CustomResponseBodyKey].Content).errors[0].status).toBe('429');
  });
});

test('stacks of earlier versions with a distribution are updated in place by the example', () => {
  const ids = (template: Template) => Object.entries(template.Resources).map(([id, { Type }]) => `${Type} ${id}`);
  expect(ids(distribution)).toEqual(
    expect.arrayContaining([
      'AWS::CloudFront::Distribution Distribution830FAC52',
      'AWS::CloudFront::Function ClientAddressCAB82241',
    ]),
  );
  expect(ids(firewall)).toEqual(['AWS::WAFv2::WebACL WebAcl']);
  expect(manifest.artifacts.Distribution.properties.stackName).toBe('holdfast-distribution');
});
