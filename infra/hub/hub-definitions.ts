import type { AlarmKind } from '../constructs/alarms.ts';
import {
  listOf,
  matching,
  optional,
  parseSettings,
  SettingsError,
  settingDefinitions,
  type Values,
  withDefault,
} from '../settings/settings.ts';

const { tags: tagsSetting, permissionsBoundary, logRetentionDays, alarmEmail, alarmTopicArn } = settingDefinitions;

/** Most accounts in the policy of the bus of a hub, which has at most 10,240 characters. */
const MAX_HUB_ACCOUNTS = 100;

/** All settings of a hub, which is an app of its own. docs/operate/hub.md lists them. */
export const hubSettingDefinitions = {
  name: withDefault(
    matching(/^[a-z][a-z0-9-]{0,29}$/, 'up to 30 lower-case letters, digits and hyphens'),
    'holdfast',
    'Prefix of the names of all resources of the hub, followed by -hub.',
  ),
  memberAccounts: withDefault(
    listOf(matching(/^\d{12}$/, 'the number of an AWS account')),
    [],
    `Accounts whose deployments may send events, up to ${MAX_HUB_ACCOUNTS}, separated by commas.`,
  ),
  memberOrganization: optional(
    matching(/^o-[a-z0-9]{10,32}$/, 'the id of an AWS organization'),
    'AWS organization whose accounts may send events.',
  ),
  tags: tagsSetting,
  permissionsBoundary,
  logRetentionDays,
  alarmEmail,
  alarmTopicArn,
} as const;

export type HubSettings = Values<typeof hubSettingDefinitions>;

/**
 * Reads the settings of a hub from a CDK context. Settings that only deployments have are ignored, because a
 * `cdk.json` may serve both.
 * @throws SettingsError with every setting that is unknown or not valid, or if no account may send events.
 */
export const readHubSettings = (context: Readonly<Record<string, unknown>>): HubSettings => {
  const isForDeployments = (name: string): boolean =>
    Object.hasOwn(settingDefinitions, name) && !Object.hasOwn(hubSettingDefinitions, name);
  const ownContext = Object.fromEntries(Object.entries(context).filter(([name]) => !isForDeployments(name)));
  const { values: settings, problems } = parseSettings(hubSettingDefinitions, ownContext);
  const { memberAccounts, memberOrganization } = settings;
  if (memberAccounts.length === 0 && memberOrganization === undefined)
    problems.push('memberAccounts or memberOrganization is required: nobody else may send events to the hub');
  if (memberAccounts.length > MAX_HUB_ACCOUNTS)
    problems.push(`memberAccounts has more than ${MAX_HUB_ACCOUNTS} accounts: use memberOrganization`);
  if (settings.alarmEmail !== undefined && settings.alarmTopicArn !== undefined)
    problems.push('alarmEmail and alarmTopicArn exclude each other: subscribe the address to that topic');
  if (problems.length > 0) throw new SettingsError(problems);
  return settings;
};

/** Values of a hub, by the last part of the name of their parameter. docs/operate/hub.md lists them. */
export const hubValues = {
  'hub-bus-arn': 'Bus that members send their events to: the setting hubBusArn of a member',
  'hub-reader-function-name': 'Function to invoke with queries to the hub',
  'hub-readers-policy-arn': 'Policy that allows its holder to invoke that function',
  'hub-dead-letters-url': 'Queue with the events of members that could not be handled',
} as const;

/** The alarms of a hub, by name without the setting `name`. docs/operate/hub.md and the descriptions are created from this table. */
export const hubAlarms = {
  'hub-dead-letters': {
    means: 'An event of a member could not be handled.',
    act: 'Read the message: it contains the event and the reason. Fix the cause, send a snapshot of that member, then delete the message.',
  },
  'hub-receiver-errors': {
    means: 'The receiver crashed or timed out. Lambda repeats the event twice, then it becomes a dead letter.',
    act: 'Search the log group of the function for level ERROR and for "Task timed out".',
  },
  'hub-reader-errors': {
    means: 'A query failed for a reason that is not in the query.',
    act: 'Search the log group of the function for level ERROR and for "Task timed out".',
  },
} as const satisfies Record<string, AlarmKind>;
