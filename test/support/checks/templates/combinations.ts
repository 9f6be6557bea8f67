import { type SettingName, settingDefinitions } from '../../../../infra/settings/settings.ts';
import { everyHubSetting, everySetting } from '../../local/assembly.ts';

/** Settings of a deployment, by name, as in `-c name=value`. */
type Context = Readonly<Partial<Record<SettingName, unknown>>>;

const arn = (service: string, resource: string): string => `arn:aws:${service}:eu-west-1:111122223333:${resource}`;

/** The combinations of settings of docs/operate whose templates are judged. Each setting is in one of them. */
export const combinations: Readonly<Record<string, Context>> = {
  defaults: {},
  'optional-resources': {
    ...everySetting,
    reservedConcurrency: { workspaces: 20, publish: 5 },
    automations: [
      { name: 'nightly', schedule: 'rate(1 day)', command: { command: 'lock' } },
      {
        name: 'after-creation',
        on: { 'detail-type': ['workspace.created'] },
        command: { command: 'lock', workspace: '$.detail.workspace.id' },
      },
    ],
    maxRequestUnits: { read: 1_000, write: 500 },
    corsOrigins: ['https://app.example.com', 'http://localhost:3000'],
    hubBusArn: arn('events', 'event-bus/holdfast-hub'),
  },
  hosted: {
    edition: 'hosted',
    alarmTopicArn: arn('sns', 'alarms'),
    archiveDays: 30,
    auditRefusals: true,
    callerCacheSeconds: 0,
    console: false,
    deletedWorkspaceDays: 0,
    globalRemoteStateDefault: true,
    historyAddresses: false,
    historyDays: 30,
    logRetentionDays: 30,
    organizationCacheMilliseconds: 500,
    publicUrl: 'https://holdfast.example.com',
    throttling: { rate: 100, burst: 200 },
    tokenLimit: { rate: 100, burst: 300 },
    usersMayCreateOrganizations: true,
    vocabulary: 'terraform',
  },
  restored: {
    maintenance: true,
    restoredTable: {
      name: 'restored',
      streamArn: arn('dynamodb', 'table/restored/stream/2026-11-22T08:00:00.000'),
      replaces: 'restored-before',
    },
  },
  adopted: {
    adopt: {
      tableName: 'retained',
      tableStreamArn: arn('dynamodb', 'table/retained/stream/2026-11-22T08:00:00.000'),
      tableKeyArn: arn('kms', 'key/1'),
      bucketName: 'retained-bucket',
      bucketKeyArn: arn('kms', 'key/2'),
      secretsKeyArn: arn('kms', 'key/3'),
      fingerprintsKeyArn: arn('kms', 'key/4'),
    },
    customDomain: { name: 'api.example.com', certificateArn: arn('acm', 'certificate/1') },
  },
};

/** The combinations of settings of a hub whose templates are judged. */
export const hubCombinations: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'hub-of-accounts': everyHubSetting,
  'hub-of-organization': { memberOrganization: 'o-1234567890', alarmTopicArn: arn('sns', 'alarms') },
};

/** Returns the settings that no combination contains. A stage only names a file with other settings. */
export const settingsWithoutCombination = (): readonly string[] => {
  const contained = new Set(['stage', ...Object.values(combinations).flatMap((context) => Object.keys(context))]);
  return Object.keys(settingDefinitions).filter((name) => !contained.has(name));
};
