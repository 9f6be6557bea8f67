import { describe, expect, test } from 'vitest';
import {
  checkRegion,
  readSettings,
  type SettingName,
  SettingsError,
  settingDefinitions,
} from '../../infra/settings/settings.ts';
import { indexNames } from '../../shared/store/dynamodb/table-definition.ts';
import { assemble, functionsOf, resourcesOf, theOnly } from '../support/local/assembly.ts';

const certificateArn = 'arn:aws:acm:eu-central-1:123456789012:certificate/0a1b-2c3d';

const readProblems = (context: Record<string, unknown>): readonly string[] => {
  try {
    readSettings(context);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
};

describe('readSettings', () => {
  test('returns the defaults for an empty context', () => {
    expect(readSettings({})).toMatchObject({ name: 'holdfast', edition: 'self-hosted', corsOrigins: [] });
  });

  test('has a description for each setting', () => {
    for (const { means } of Object.values(settingDefinitions)) expect(means).toMatch(/^[A-Z].{20,}\.$/);
  });

  test('uses the edition of HOLDFAST_EDITION unless the context contains one', () => {
    expect(readSettings({}, 'hosted').edition).toBe('hosted');
    expect(readSettings({ edition: 'self-hosted' }, 'hosted').edition).toBe('self-hosted');
  });

  test('accepts strings of the command line and JSON values of cdk.json', () => {
    expect(
      readSettings({
        globalRemoteStateDefault: 'true',
        callerCacheSeconds: '0',
        corsOrigins: 'https://a.example.com,http://localhost:3000',
        reservedConcurrency: 'workspaces=5,workspace-locks=0',
      }),
    ).toEqual(
      readSettings({
        globalRemoteStateDefault: true,
        callerCacheSeconds: 0,
        corsOrigins: ['https://a.example.com', 'http://localhost:3000'],
        reservedConcurrency: { workspaces: 5, 'workspace-locks': 0 },
      }),
    );
  });

  test('ignores context keys of the CDK', () => {
    expect(readProblems({ 'aws:cdk:bundling-stacks': ['**'], '@aws-cdk/core:x': true, 'tree-metadata': 1 })).toEqual(
      [],
    );
  });

  test.each<[SettingName, unknown, string]>([
    ['edition', 'cloud', 'self-hosted or hosted'],
    ['globalRemoteStateDefault', 'yes', 'true or false'],
    ['deletedWorkspaceDays', '366', 'from 0 to 365'],
    ['callerCacheSeconds', '5', 'from 0 to 4'],
    ['callerCacheSeconds', '1.5', 'whole number'],
    ['organizationCacheMilliseconds', '1001', 'from 0 to 1000'],
    ['vocabulary', 'tofu', 'infra or terraform'],
    ['logRetentionDays', '31', 'CloudWatch Logs supports'],
    ['throttling', 'rate=0', 'from 1'],
    ['corsOrigins', 'app.example.com', 'origin'],
    ['customDomain', { name: 'https://api.example.com', certificateArn }, 'host name'],
    ['customDomain', { name: 'api.example.com', certificateArn: 'mine' }, 'ARN of a certificate'],
    ['customDomain', 'api.example.com', 'an object with name, certificateArn, hostedZoneId'],
    ['alarmEmail', 'operator', 'e-mail'],
    ['reservedConcurrency', 'workspace=5', 'any of workspaces'],
    ['reservedConcurrency', 5, 'workspaces=5'],
    ['reservedConcurrency', 'admin', 'any of'],
    ['reservedConcurrency', { admin: -1 }, 'whole number'],
    ['provisionedConcurrency', 'admin=1', 'any of workspaces, workspace-locks$'],
    ['name', 'Holdfast', 'lower-case'],
    ['name', 'holdfast-hub', 'does not end with .*-hub'],
    ['sessionHours', '0', 'from 1 to 720'],
    ['sessionIdleMinutes', '4', 'from 5'],
    ['signInFreshnessDays', '366', 'from 1 to 365'],
    ['identityProviders', 'keycloak', 'a list of objects'],
    ['hubBusArn', 'arn:aws:events:eu-west-1:123456789012:event-bus/holdfast', 'ends with -hub'],
  ])('rejects %s = %j with a reason', (name, value, reason) => {
    expect(readProblems({ [name]: value })).toContainEqual(expect.stringMatching(`^${name}[ .].*${reason}`));
  });

  const provider = { name: 'keycloak', issuer: 'https://login.example.com/realms/acme', clientId: 'holdfast' };

  test('gives identity providers their defaults', () => {
    const json = JSON.stringify([provider]);
    expect(readSettings({ identityProviders: json }).identityProviders).toEqual([
      {
        ...provider,
        label: 'keycloak',
        clientAuthentication: 'none',
        scopes: 'openid profile email',
        usernameClaim: 'preferred_username',
        emailClaim: 'email',
        groupsClaim: 'groups',
        trustedEmailDomains: [],
        requiredGroups: [],
      },
    ]);
    expect(readSettings({}).identityProviders).toEqual([]);
  });

  test.each<[object, string]>([
    [{ name: 'Keycloak' }, 'name is "Keycloak", but must be'],
    [{ name: 'session' }, 'name must not be providers or session'],
    [{ issuer: 'http://login.example.com' }, 'issuer is '],
    [{ issuer: 'https://login.example.com/?realm=acme' }, 'issuer is '],
    [{ issuer: 'https://ada@login.example.com' }, 'issuer is '],
    [{ issuer: 'https://LOGIN.example.com' }, 'issuer is '],
    [{ clientId: undefined }, 'clientId is missing'],
    [{ clientAuthentication: 'basic' }, 'clientAuthentication is "basic", but must be none or aws or secret'],
    [{ clientAuthentication: 'secret' }, 'secretParameter is needed'],
    [{ secretParameter: '/holdfast/secret' }, 'secretParameter is needed'],
    [{ clientAuthentication: 'secret', secretParameter: '/holdfast/*' }, 'secretParameter is '],
    [{ scopes: 'profile' }, 'scopes must contain openid'],
    [{ trustedEmailDomains: ['*'] }, 'trustedEmailDomains is "*"'],
    [{ groupClaim: 'roles' }, 'groupClaim is not a setting'],
  ])('rejects an identity provider with %j', (settings, problem) => {
    expect(readProblems({ identityProviders: [provider, { ...provider, name: 'other', ...settings }] })).toContainEqual(
      expect.stringContaining(`identityProviders.1.${problem}`),
    );
  });

  test('rejects two identity providers of one name, and more than a function has room for', () => {
    expect(readProblems({ identityProviders: [provider, provider] })).toEqual([
      'identityProviders.1.name is keycloak a second time',
    ]);
    const many = Array.from({ length: 9 }, (_, index) => ({
      ...provider,
      name: `keycloak-${index}`,
      label: 'x'.repeat(99),
    }));
    expect(readProblems({ identityProviders: many })).toEqual([expect.stringContaining('more than 3000 characters')]);
  });

  test('rejects an unknown name', () => {
    expect(readProblems({ editon: 'hosted' })).toEqual([expect.stringContaining('editon is not a setting')]);
  });

  test('rejects settings without the settings that they require', () => {
    expect(readProblems({ customDomain: { name: 'api.example.com' } })).toEqual([
      'customDomain.certificateArn is missing',
    ]);
    expect(readProblems({ customDomain: { certificateArn } })).toEqual(['customDomain.name is missing']);
    expect(readProblems({ tokenLimit: { burst: 10 } })).toEqual(['tokenLimit.rate is missing']);
    expect(readProblems({ customDomain: { hostedZoneId: 'Z1' } })).toEqual([
      'customDomain.name is missing',
      'customDomain.certificateArn is missing',
    ]);
    expect(
      readProblems({ alarmEmail: 'a@example.com', alarmTopicArn: 'arn:aws:sns:eu-central-1:123456789012:alarms' }),
    ).toEqual([expect.stringContaining('exclude each other')]);
    expect(readProblems({ deviceLogin: true, console: false })).toEqual([
      'deviceLogin requires console, where people type the code',
    ]);
    expect(readProblems({ sessionHours: '25', signInFreshnessDays: '1' })).toEqual([
      'sessionHours is longer than signInFreshnessDays, after which a sign-in no longer counts',
    ]);
    expect(readProblems({ sessionHours: '24', signInFreshnessDays: '1' })).toEqual([]);
    const streamArn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/one/stream/2026-11-21T08:00:00.000';
    expect(readProblems({ restoredTable: { name: 'one', streamArn } })).toEqual([]);
    expect(readProblems({ restoredTable: { name: 'one' } })).toEqual(['restoredTable.streamArn is missing']);
    expect(readProblems({ restoredTable: { name: 'two', streamArn } })).toEqual([
      'restoredTable.streamArn is not the ARN of a stream of the table two',
    ]);
    expect(readProblems({ restoredTable: { replaces: 'one' } })).toEqual([
      'restoredTable.name is missing',
      'restoredTable.streamArn is missing',
    ]);
    expect(readProblems({ restoredTable: { name: 'one', streamArn, replaces: 'zero' } })).toEqual([]);
    expect(readProblems({ restoredTable: { name: 'one', streamArn, replaces: 'one' } })).toEqual([
      'restoredTable.replaces and restoredTable.name must be different tables',
    ]);
  });

  test('names the member of a group that is unknown or not valid, and the new place of a renamed setting', () => {
    expect(readProblems({ tokenLimit: 'rate=0,burst=x,bursts=1' })).toEqual([
      expect.stringContaining('tokenLimit.bursts is not a setting; the settings are rate, burst'),
      'tokenLimit.rate is "0", but must be a whole number from 1 to 10000',
      'tokenLimit.burst is "x", but must be a whole number from 1 to 100000',
    ]);
    expect(readProblems({ tokenRate: 10 })).toEqual(['tokenRate is now tokenLimit.rate: see CHANGELOG.md']);
  });

  test('has at most 41 settings', () => {
    expect(Object.keys(settingDefinitions).length).toBeLessThanOrEqual(41);
  });

  test('gives the members of a group their defaults', () => {
    expect(readSettings({ throttling: 'rate=10' }).throttling).toEqual({ rate: 10, burst: 1_000 });
    expect(readSettings({ throttling: '{"burst": 20}' }).throttling).toEqual({ rate: 500, burst: 20 });
    expect(readSettings({}).throttling).toEqual({ rate: 500, burst: 1_000 });
  });

  test('rejects more provisioned than reserved concurrency', () => {
    expect(readProblems({ provisionedConcurrency: 'workspaces=5', reservedConcurrency: 'workspaces=4' })).toEqual([
      'provisionedConcurrency of workspaces is 5, more than its reservedConcurrency of 4',
    ]);
    expect(readProblems({ provisionedConcurrency: 'workspaces=5', reservedConcurrency: 'workspaces=5' })).toEqual([]);
  });

  test('rejects automations whose rules would have names that EventBridge rejects', () => {
    const automation = (length: number) => ({
      name: 'a'.repeat(length),
      schedule: 'rate(1 day)',
      command: { command: 'lock' },
    });
    expect(readProblems({ automations: [automation(44)] })).toEqual([]);
    expect(readProblems({ automations: [automation(45)] })).toEqual([
      `automations: the rule holdfast-automation-${'a'.repeat(45)} is longer than 64 characters: choose a shorter name`,
    ]);
  });

  test('rejects automations whose commands would be longer than EventBridge allows', () => {
    const automation = (length: number) => ({
      name: 'a',
      schedule: 'rate(1 day)',
      command: { command: 'lock', reason: 'x'.repeat(length) },
    });
    expect(readProblems({ automations: [automation(7_900)] })).toEqual([]);
    expect(readProblems({ automations: [automation(8_000)] })).toEqual([
      'automations: the command of a is longer than 8000 characters',
    ]);
  });

  test.each([
    { schedule: 'rate(1 days)' },
    { schedule: 'rate(2 day)' },
    { schedule: 'rate(0 days)' },
    { schedule: 'cron(0 22 * * MON-FRI)' },
    { schedule: 'cron(0 22 * * MON-FRI *)' },
    { on: {} },
    { on: { source: 'holdfast' } },
    { on: { detail: { organization: 'acme' } } },
  ])('rejects an automation that EventBridge would not start: %j', (trigger) => {
    expect(readProblems({ automations: [{ name: 'a', command: { command: 'lock' }, ...trigger }] })).toHaveLength(1);
  });

  test.each([
    { schedule: 'rate(1 minute)' },
    { schedule: 'rate(10 days)' },
    { schedule: 'cron(0 22 ? * MON-FRI *)' },
    { schedule: 'cron(0/15 * 1 1-12 ? 2027)' },
    { on: { 'detail-type': ['workspace.created'], detail: { organization: ['acme'] } } },
    { on: { $or: [{ source: ['a'] }, { source: ['b'] }] } },
  ])('accepts an automation with %j', (trigger) => {
    expect(readProblems({ automations: [{ name: 'a', command: { command: 'lock' }, ...trigger }] })).toEqual([]);
  });

  test('rejects resources of several regions', () => {
    const alarmTopicArn = 'arn:aws:sns:eu-west-1:123456789012:alarms';
    expect(readProblems({ alarmTopicArn, customDomain: { name: 'api.example.com', certificateArn } })).toEqual([
      'all resources must be in the region of the deployment: customDomain.certificateArn in eu-central-1; alarmTopicArn in eu-west-1',
    ]);
  });

  test('rejects a restored table that is the adopted one, because after-restore would compare it with itself', () => {
    const key = 'arn:aws:kms:eu-west-1:123456789012:key/1';
    const tableStreamArn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/one/stream/2026-11-21T08:00:00.000';
    const adopt = {
      ...{ tableName: 'one', tableStreamArn, tableKeyArn: key, bucketName: 'bucket', bucketKeyArn: key },
      ...{ secretsKeyArn: key, fingerprintsKeyArn: key },
    };
    const restoredTable = { name: 'one', streamArn: tableStreamArn };
    expect(readProblems({ adopt, restoredTable })).toEqual([expect.stringContaining('the table in adopt')]);
    expect(readProblems({ adopt, restoredTable: { ...restoredTable, replaces: 'two' } })).toEqual([]);
  });

  test('reports all problems at once', () => {
    expect(readProblems({ edition: 'x', callerCacheSeconds: 'y', customDomain: 'name=a.example.com' })).toHaveLength(3);
  });
});

describe('checkRegion', () => {
  const check = (context: Record<string, unknown>, region: string) => () => checkRegion(readSettings(context), region);

  test('accepts resources of the region, and ARNs that name none', () => {
    expect(check({ permissionsBoundary: 'arn:aws:iam::aws:policy/Boundary' }, 'eu-west-1')).not.toThrow();
    const alarmTopicArn = 'arn:aws-us-gov:sns:us-gov-west-1:123456789012:alarms';
    expect(check({ alarmTopicArn }, 'us-gov-west-1')).not.toThrow();
  });

  test('rejects resources of another region', () => {
    expect(check({ alarmTopicArn: 'arn:aws:sns:eu-west-2:123456789012:alarms' }, 'eu-west-1')).toThrow(
      'in the region of the deployment: alarmTopicArn in eu-west-2; the deployment in eu-west-1',
    );
  });

  test('rejects resources of another partition', () => {
    const hubBusArn = 'arn:aws:events:us-east-1:123456789012:event-bus/holdfast-hub';
    const problems = ['hubBusArn is in the partition aws, but the region us-gov-west-1 is in aws-us-gov'];
    expect(check({ hubBusArn }, 'us-gov-west-1')).toThrow(expect.objectContaining({ problems }));
  });

  test('rejects a region whose partition the templates are not made for', () => {
    expect(check({}, 'cn-north-1')).toThrow('cn-north-1 is in the partition aws-cn, but must be in aws or aws-us-gov');
  });
});

test('the templates follow every setting', async () => {
  const { data, api, observability } = await assemble({
    name: 'holdfast-test',
    edition: 'hosted',
    globalRemoteStateDefault: true,
    callerCacheSeconds: 0,
    organizationCacheMilliseconds: 250,
    logRetentionDays: 30,
    throttling: { rate: 10, burst: 20 },
    corsOrigins: 'https://app.example.com',
    customDomain: { name: 'api.example.com', certificateArn, hostedZoneId: 'Z0123456789' },
    alarmTopicArn: 'arn:aws:sns:eu-central-1:123456789012:alarms',
    reservedConcurrency: 'admin=1',
    provisionedConcurrency: 'workspace-locks=2',
    vocabulary: 'terraform',
    console: false,
    maxRequestUnits: 'read=5000,write=1000',
  });

  expect(theOnly(data, 'AWS::DynamoDB::GlobalTable').Properties).toMatchObject({
    WriteOnDemandThroughputSettings: { MaxWriteRequestUnits: 1000 },
    Replicas: [
      {
        ReadOnDemandThroughputSettings: { MaxReadRequestUnits: 5000 },
        GlobalSecondaryIndexes: indexNames.map(() => ({
          ReadOnDemandThroughputSettings: { MaxReadRequestUnits: 5000 },
        })),
      },
    ],
    GlobalSecondaryIndexes: indexNames.map(() => ({ WriteOnDemandThroughputSettings: { MaxWriteRequestUnits: 1000 } })),
  });
  expect(functionsOf(api).get('test-workspaces')?.Properties.Environment.Variables).toMatchObject({
    EDITION: 'hosted',
    CALLER_CACHE_SECONDS: '0',
    SIGN_IN_FRESHNESS_DAYS: '14',
    ORGANIZATION_CACHE_MILLISECONDS: '250',
    GLOBAL_REMOTE_STATE_DEFAULT: 'true',
    VOCABULARY: 'terraform',
  });
  expect(functionsOf(api).get('test-admin')?.Properties.ReservedConcurrentExecutions).toBe(1);
  expect(theOnly(api, 'AWS::Lambda::Alias').Properties).toMatchObject({
    FunctionName: { Ref: functionsOf(api).get('test-workspace-locks')?.id },
    ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: 2 },
  });
  expect(theOnly(api, 'AWS::ApiGatewayV2::Api').Properties.CorsConfiguration).toMatchObject({
    AllowOrigins: ['https://app.example.com'],
    AllowHeaders: expect.arrayContaining(['authorization']),
  });
  expect(theOnly(api, 'AWS::ApiGatewayV2::DomainName').Properties).toMatchObject({
    DomainName: 'api.example.com',
    DomainNameConfigurations: [{ CertificateArn: certificateArn, SecurityPolicy: 'TLS_1_2' }],
  });
  expect(theOnly(api, 'AWS::ApiGatewayV2::ApiMapping').Properties.Stage).toBe('$default');
  expect(theOnly(api, 'AWS::ApiGatewayV2::Api').Properties.DisableExecuteApiEndpoint).toBe(true);
  expect([...resourcesOf(api, 'AWS::Route53::RecordSet').values()].map(({ Properties }) => Properties)).toEqual(
    ['A', 'AAAA'].map((Type) =>
      expect.objectContaining({ Type, HostedZoneId: 'Z0123456789', Name: 'api.example.com.' }),
    ),
  );
  expect(api.Outputs?.['ApiUrl']?.Value).toBe('https://api.example.com');
  expect([...functionsOf(api).keys()].filter((name) => /console/.test(name))).toEqual([]);
  expect(JSON.stringify([api, observability])).not.toMatch(/console|\/assets/);
  const routeKeys = [...resourcesOf(api, 'AWS::ApiGatewayV2::Route').values()].map(
    ({ Properties }) => Properties.RouteKey,
  );
  expect(routeKeys).toEqual(expect.arrayContaining(['GET /cli/holdfast.mjs', 'GET /cli/holdfast.mjs.sha256']));
  expect(theOnly(data, 'AWS::S3::Bucket').Properties).not.toHaveProperty('CorsConfiguration');
  expect(resourcesOf(observability, 'AWS::SNS::Topic').size).toBe(0);
  for (const { Properties } of resourcesOf(observability, 'AWS::CloudWatch::Alarm').values()) {
    expect(Properties.AlarmActions).toEqual(['arn:aws:sns:eu-central-1:123456789012:alarms']);
  }
});
