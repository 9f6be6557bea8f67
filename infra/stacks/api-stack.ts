import { Duration, RemovalPolicy, SecretValue, Stack, type StackProps } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CfnApiMapping,
  CorsHttpMethod,
  type CorsPreflightOptions,
  HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  IpAddressType,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { Code, type IFunction, LayerVersion } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { RUNNER, snapshotCommands } from '../../shared/events/sources.ts';
import { consolePaths } from '../../shared/routes/console.ts';
import { routeIds, routes } from '../../shared/routes/index.ts';
import type { FunctionName, Variables } from '../../shared/runtime/environment.ts';
import { STREAM_PARALLELISM } from '../../shared/runtime/stream.ts';
import { changeRecordFilter, historyFilters } from '../../shared/store/dynamodb/table-definition.ts';
import { acknowledge } from '../constructs/acknowledge.ts';
import { CustomDomain } from '../constructs/custom-domain.ts';
import { accessLogName, deployedName, type FunctionResources, HoldfastFunction } from '../constructs/function.ts';
import { checksOrigin, isLimited } from '../constructs/gate.ts';
import { publishValues } from '../constructs/published-values.ts';
import { triggersIn } from '../constructs/triggers.ts';
import { HubMember } from '../hub/hub-member.ts';
import type { Settings } from '../settings/settings.ts';

/** Folders with the bundled code of the functions. */
export type FunctionFolders = { readonly [F in FunctionName]: { readonly directory: string } };

export interface ApiStackProps extends StackProps {
  readonly settings: Settings;
  readonly functions: FunctionFolders;
  /** Folder of the layer that traces calls of AWS services, if the setting `tracing` is on. */
  readonly tracing: string | undefined;
  readonly resources: FunctionResources;
}

/** Seconds of requests that a token may send at once by default. */
const BURST_SECONDS = 2;

/** The stack with the functions and the HTTP API. It contains no data, so it can be destroyed and deployed again. */
export class ApiStack extends Stack {
  readonly api: HttpApi;
  readonly functions: ReadonlyMap<FunctionName, IFunction>;
  readonly url: string;

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, props);
    const { settings, resources } = props;
    this.api = new HttpApi(this, 'Api', {
      apiName: settings.name,
      description: 'Workspace and variable management for infrastructure as code',
      createDefaultStage: false,
      ipAddressType: IpAddressType.DUAL_STACK,
      // The custom domain is then the only host name, so that its TLS policy and its DNS records cannot be bypassed.
      disableExecuteApiEndpoint: settings.customDomain !== undefined,
      ...(settings.corsOrigins.length > 0 && { corsPreflight: cors(settings) }),
    });
    const { customDomain } = settings;
    this.url = customDomain === undefined ? this.api.apiEndpoint : `https://${customDomain.name}`;

    const created = new Map<FunctionName, IFunction>();
    this.functions = created;
    const create = functionsIn(this, props, created);
    const variables = sharedVariables(props);

    const endpoints = createEndpointFunctions(create, variables, this.url, props);
    const { admin, automation, runnerEvents } = createOtherFunctions(this, create, variables, this.url, props);
    const served = settings.console ? create('console', variables.storing) : undefined;

    const routesOfApi = createRoutes(this.api, endpoints, served, settings);
    acknowledge(this, {
      'AwsSolutions::AwsSolutions-APIG4':
        'The functions authenticate requests, because tokens are in the table and errors must be JSON:API documents.',
    });
    const domain = customDomain && new CustomDomain(this, 'Domain', customDomain);
    const stage = createStage(this.api, domain, settings);
    // The first deployment of the stage then serves all routes.
    stage.node.addDependency(...routesOfApi);

    publishValues(this, settings, {
      'api-url': this.url,
      'admin-function-name': admin.function.functionName,
      'automation-function-name': automation.function.functionName,
      'table-name': resources.table.name,
      'runner-events-rule-arn': runnerEvents.ruleArn,
    });
  }
}

type Create = <F extends FunctionName>(name: F, environment: Variables<F>) => HoldfastFunction<F>;

/**
 * Returns a function that creates the functions of the stack. It adds the variables that depend on settings only.
 * @param created receives each function.
 */
const functionsIn = (
  stack: Stack,
  { settings, functions: folders, tracing, resources }: ApiStackProps,
  created: Map<FunctionName, IFunction>,
): Create => {
  const tracingLayer =
    tracing === undefined
      ? undefined
      : new LayerVersion(stack, 'Tracing', {
          layerVersionName: `${settings.name}-tracing`,
          description: 'Adds calls of AWS services to traces',
          code: Code.fromAsset(tracing),
        });
  const { rate = 0, burst = BURST_SECONDS * rate } = settings.tokenLimit ?? {};
  // References, which CloudFormation resolves when it deploys, so that the templates do not contain the secrets.
  const originSecrets = settings.originSecretArns
    .map((arn) => SecretValue.secretsManager(arn).unsafeUnwrap())
    .join(',');
  return (name, environment) => {
    const one = new HoldfastFunction(stack, name, {
      name,
      code: folders[name].directory,
      environment: {
        ...environment,
        ...(settings.publicUrl !== undefined && { PUBLIC_URL: settings.publicUrl }),
        ...(settings.vocabulary !== 'infra' && { VOCABULARY: settings.vocabulary }),
        ...(!settings.historyAddresses && { HISTORY_ADDRESSES: 'false' }),
        ...(settings.auditRefusals && { AUDIT_REFUSALS: 'true' }),
        ...(isLimited(settings, name) && { TOKEN_LIMIT: `${rate}/${burst}` }),
        ...(checksOrigin(settings, name) && { ORIGIN_SECRETS: originSecrets }),
      },
      resources,
      settings,
      tracingLayer,
    });
    created.set(name, one.function as IFunction);
    return one;
  };
};

/** Builds the variables that several functions have in common, by what the functions do. */
const sharedVariables = ({ settings, resources }: ApiStackProps) => {
  const { table, bucket, deadLetters, secretsKeyArn, fingerprintsKeyArn } = resources;
  const tableAccess = { TABLE_NAME: table.name };
  const endpoint = {
    ...tableAccess,
    EDITION: settings.edition,
    CALLER_CACHE_SECONDS: String(settings.callerCacheSeconds),
    SIGN_IN_FRESHNESS_DAYS: String(settings.signInFreshnessDays),
    ORGANIZATION_CACHE_MILLISECONDS: String(settings.organizationCacheMilliseconds),
  };
  const storing = { BUCKET_NAME: bucket.name };
  return {
    tableAccess,
    endpoint,
    storing,
    listing: {
      ...endpoint,
      ...storing,
      LIST_INDEX_SNAPSHOTS_FUNCTION: deployedName(settings, 'list-index-snapshots'),
    },
    deleting: { DELETED_WORKSPACE_DAYS: String(settings.deletedWorkspaceDays) },
    withStateContent: { STATE_CONTENT_FUNCTION: deployedName(settings, 'state-content') },
    encryption: { SECRETS_KEY_ARN: secretsKeyArn },
    fingerprints: { FINGERPRINTS_KEY_ARN: fingerprintsKeyArn },
    sendingDeadLetters: { DEAD_LETTERS_URL: deadLetters.url },
    working: { BULK_JOB_WORKER_FUNCTION: deployedName(settings, 'bulk-job-worker') },
  };
};
type SharedVariables = ReturnType<typeof sharedVariables>;

const createEndpointFunctions = (
  create: Create,
  { endpoint, storing, listing, deleting, withStateContent, encryption, fingerprints, working }: SharedVariables,
  url: string,
  { settings }: ApiStackProps,
) => ({
  workspaces: create('workspaces', {
    ...listing,
    GLOBAL_REMOTE_STATE_DEFAULT: String(settings.globalRemoteStateDefault),
  }),
  'workspace-list': create('workspace-list', { ...listing, ...deleting }),
  'workspace-locks': create('workspace-locks', { ...endpoint, ...withStateContent }),
  'workspace-deletion': create('workspace-deletion', { ...endpoint, ...withStateContent, ...deleting }),
  'workspace-tags': create('workspace-tags', listing),
  'remote-state-consumers': create('remote-state-consumers', listing),
  'ssh-key': create('ssh-key', endpoint),
  'data-retention-policy': create('data-retention-policy', endpoint),
  runs: create('runs', endpoint),
  variables: create('variables', { ...listing, ...encryption, ...fingerprints }),
  organizations: create('organizations', {
    ...endpoint,
    USERS_MAY_CREATE_ORGANIZATIONS: String(settings.usersMayCreateOrganizations),
  }),
  'sign-in': create('sign-in', {
    ...endpoint,
    PUBLIC_URL: settings.publicUrl ?? url,
    IDENTITY_PROVIDERS: JSON.stringify(settings.identityProviders),
    SESSION_HOURS: String(settings.sessionHours),
    SESSION_IDLE_MINUTES: String(settings.sessionIdleMinutes),
    CONSOLE: String(settings.console),
    LOGIN_TOKEN_HOURS: String(settings.loginTokenHours),
    DEVICE_LOGIN: String(settings.deviceLogin),
  }),
  projects: create('projects', listing),
  teams: create('teams', listing),
  integrations: create('integrations', { ...endpoint, ...encryption }),
  'state-versions': create('state-versions', { ...endpoint, ...storing }),
  history: create('history', endpoint),
  'bulk-jobs': create('bulk-jobs', { ...endpoint, ...storing, ...working }),
  documentation: create('documentation', { EDITION: settings.edition, CONSOLE: String(settings.console) }),
  fallback: create('fallback', settings.maintenance ? { MAINTENANCE: 'true' } : {}),
});
type EndpointFunctions = ReturnType<typeof createEndpointFunctions>;

/** Creates the functions without a route, and connects them to the sources of their events. */
const createOtherFunctions = (
  stack: Stack,
  create: Create,
  { tableAccess, storing, listing, fingerprints, sendingDeadLetters, working }: SharedVariables,
  url: string,
  { settings, resources }: ApiStackProps,
) => {
  const { table, bus, deadLetters } = resources;
  const keepingHistory = { HISTORY_DAYS: String(settings.historyDays) };
  // Without a trigger: only callers with an IAM permission can invoke it.
  const admin = create('admin', {
    ...tableAccess,
    EDITION: settings.edition,
    ...storing,
    PUBLIC_URL: settings.publicUrl ?? url,
    IDENTITY_PROVIDERS: JSON.stringify(settings.identityProviders),
    CONSOLE: String(settings.console),
    ...(table.replaced !== undefined && { REPLACED_TABLE_NAME: table.replaced.name }),
  });
  const cleanup = create('cleanup', { ...tableAccess, ...storing, ...working, ...keepingHistory });
  const bulkJobWorker = create('bulk-job-worker', { ...listing, FUNCTION_PREFIX: settings.name });
  const stateContent = create('state-content', { ...tableAccess, ...storing });
  const ingest = create('ingest', { ...tableAccess, ...storing, ...sendingDeadLetters });
  const publish = create('publish', { BUS_NAME: bus.name, ...sendingDeadLetters });
  const recordHistory = create('record-history', {
    ...tableAccess,
    ...fingerprints,
    ...sendingDeadLetters,
    ...keepingHistory,
  });
  const automation = create('automation', {
    ...tableAccess,
    ...fingerprints,
    ...sendingDeadLetters,
    FUNCTION_PREFIX: settings.name,
  });
  const stateRetention = create('state-retention', { ...tableAccess, EDITION: settings.edition, ...storing });
  const listIndexSnapshots = create('list-index-snapshots', { ...tableAccess, ...storing });

  const triggers = triggersIn(stack, resources);
  if (settings.hubBusArn !== undefined) {
    const hubSnapshot = create('hub-snapshot', { ...tableAccess, BUS_NAME: bus.name, ...sendingDeadLetters });
    triggers.onEvent('SnapshotCommands', hubSnapshot, 'Sends snapshots to the hub', {
      source: [...snapshotCommands.source],
      detailType: [...snapshotCommands['detail-type']],
    });
    new HubMember(stack, 'Hub', { hubBusArn: settings.hubBusArn, bus, deadLetters, settings });
  }
  triggers.onStream('Changes', publish, { filters: [changeRecordFilter] });
  triggers.onStream('History', recordHistory, { filters: historyFilters, parallelism: STREAM_PARALLELISM });
  triggers.onRequest(listIndexSnapshots);
  triggers.onRequest(bulkJobWorker);
  const runnerEvents = triggers.onEvent('RunnerEvents', ingest, 'Ingests events of runners', { source: [RUNNER] });
  triggers.onCommand(automation, settings);
  triggers.onObject('StateUploads', stateContent, 'Reads uploaded states', ['states/', 'json-states/']);
  triggers.onSchedule(
    'StateRetentionSchedule',
    stateRetention,
    'Deletes state versions that data retention policies do not keep',
    Schedule.rate(Duration.days(1)),
    !settings.maintenance,
  );
  triggers.onSchedule(
    'CleanupSchedule',
    cleanup,
    'Finishes deletions',
    Schedule.rate(Duration.minutes(1)),
    !settings.maintenance,
  );
  return { admin, automation, runnerEvents };
};

/**
 * Creates the routes of the API. During maintenance, all of them lead to `fallback`.
 * @param served function of the web console; undefined without a console.
 */
const createRoutes = (
  httpApi: HttpApi,
  endpoints: EndpointFunctions,
  served: HoldfastFunction<'console'> | undefined,
  { maintenance }: Settings,
): readonly HttpRoute[] => {
  const stack = Stack.of(httpApi);
  // A permission for each route would exceed the size limit of the policy of a function.
  const integrate = (name: string, { invoked }: Pick<HoldfastFunction<FunctionName>, 'invoked'>) =>
    new HttpLambdaIntegration(name, invoked, { scopePermissionToRoute: false });
  const integrations = new Map(Object.entries(endpoints).map(([name, one]) => [name, integrate(name, one)]));
  const integrationOf = (name: keyof EndpointFunctions): HttpLambdaIntegration =>
    integrations.get(maintenance ? 'fallback' : name) as HttpLambdaIntegration;
  const route = (id: string, routeKey: HttpRouteKey, integration: HttpLambdaIntegration): HttpRoute =>
    new HttpRoute(stack, `Route ${id}`, { httpApi, routeKey, integration });

  // During maintenance, the paths of the console lead to fallback like all others. The function remains, with its log.
  const consoleIntegration = served === undefined || maintenance ? undefined : integrate('console', served);
  return [
    ...routeIds.map((id) => {
      const { method, path, function: name } = routes[id];
      return route(id, HttpRouteKey.with(path, HttpMethod[method]), integrationOf(name));
    }),
    ...(consoleIntegration === undefined
      ? []
      : consolePaths.map((path) =>
          route(`console ${path}`, HttpRouteKey.with(path, HttpMethod.GET), consoleIntegration),
        )),
    route('$default', HttpRouteKey.DEFAULT, integrationOf('fallback')),
  ];
};

/** Creates the stage of the API, with its throttling and its access log. */
const createStage = (httpApi: HttpApi, domain: CustomDomain | undefined, settings: Settings): HttpStage => {
  const stack = Stack.of(httpApi);
  const stage = new HttpStage(stack, 'Stage', {
    httpApi,
    stageName: '$default',
    autoDeploy: true,
    throttle: { rateLimit: settings.throttling.rate, burstLimit: settings.throttling.burst },
    accessLogSettings: {
      destination: new LogGroupLogDestination(
        new LogGroup(stack, 'AccessLogs', {
          logGroupName: accessLogName(settings),
          retention: settings.logRetentionDays,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
      ),
      format: AccessLogFormat.custom(JSON.stringify(accessLog)),
    },
    ...(domain !== undefined && { domainMapping: { domainName: domain.domainName } }),
  });
  // The CDK puts the path in the construct tree into this id. CloudFormation could not replace the mapping, because a domain
  // name has only one, so that no deployment could move to the construct for other apps.
  const mapping = stage.node.findAll().find((one) => one instanceof CfnApiMapping);
  mapping?.overrideLogicalId('StageApiDomainNameundefinedFB1BFB09');
  return stage;
};

/**
 * Content of the access log. It contains no headers and no query string, because these may contain credentials.
 *
 * `functionStatus` is the status that the function returned. API Gateway's own errors, such as 429, have none.
 * `$context.error.message` has no quotes of its own, unlike `messageString`.
 */
const accessLog = {
  requestId: '$context.requestId',
  time: '$context.requestTimeEpoch',
  sourceIp: '$context.identity.sourceIp',
  routeKey: '$context.routeKey',
  method: '$context.httpMethod',
  path: '$context.path',
  status: '$context.status',
  responseLength: '$context.responseLength',
  responseLatency: '$context.responseLatency',
  integrationLatency: '$context.integrationLatency',
  functionStatus: '$context.integration.status',
  integrationError: '$context.integration.error',
  gatewayError: '$context.error.message',
};

/** CORS configuration without credentials mode, because tokens are sent in a header and never in cookies. */
const cors = ({ corsOrigins, tokenLimit }: Settings): CorsPreflightOptions => ({
  allowOrigins: [...corsOrigins],
  allowMethods: [...new Set(routeIds.map((id) => CorsHttpMethod[routes[id].method]))],
  allowHeaders: ['authorization', 'content-type', 'holdfast-vocabulary', 'idempotency-key', 'if-match'],
  exposeHeaders: [
    ...['allow', 'deprecation', 'etag', 'link', 'retry-after', 'tfp-api-version', 'tfp-appname'],
    ...(tokenLimit === undefined ? [] : ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']),
  ],
  maxAge: Duration.hours(1),
});
