import { join } from 'node:path';
import { type Environment, Stack, Token } from 'aws-cdk-lib';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import { type IFunction, Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import { Construct, type IConstruct } from 'constructs';
import type { IdentityProvider } from '../../shared/domain/identity-providers.ts';
import { type FunctionName, functionNames, memberFunctionNames } from '../../shared/runtime/environment.ts';
import { deployedName } from '../constructs/function.ts';
import { grantReadSecrets } from '../constructs/read-secrets.ts';
import type { ReadableSecrets, SecretsData } from '../constructs/secrets-policy.ts';
import { readSettings, type SettingName, type Settings } from '../settings/settings.ts';
import type { FunctionFolders } from '../stacks/api-stack.ts';
import { createDeployment } from '../stacks/deployment.ts';
import { featureFlags } from '../stacks/feature-flags.ts';

/** The settings of a deployment, each with the default of docs/operate/settings.md. Stage files belong to the repository. */
export type HoldfastProps = Partial<
  Pick<Settings, Exclude<SettingName, 'stage' | 'throttling' | 'identityProviders'>>
> & {
  readonly throttling?: Partial<Settings['throttling']>;
  readonly identityProviders?: readonly (Partial<IdentityProvider> &
    Pick<IdentityProvider, 'name' | 'issuer' | 'clientId'>)[];
};

/** The stacks of a deployment, in the order in which they are deployed. */
export interface HoldfastStacks {
  /** The table, the bucket and the keys. */
  readonly data: Stack;
  /** The bus, its archive and the dead-letter queue. */
  readonly events: Stack;
  /** The functions and the HTTP API. */
  readonly api: Stack;
  /** The alarms, their topic and the dashboard. */
  readonly observability: Stack;
}

/** The folder of the package, with the bundles of the functions. */
const folder = import.meta.dirname;

/**
 * A deployment of Holdfast in another CDK app. It creates four stacks of its own, whose names start with the setting `name`,
 * because one stack cannot hold so many resources. The stacks have the account and region of the scope.
 * @param scope an app, a stage or a stack.
 * @throws SettingsError for settings that are not valid, or do not fit the region.
 * @throws RangeError if the app has another deployment of the same name in the account and region.
 * @example
 * const holdfast = new Holdfast(stack, 'Holdfast', { name: 'holdfast', alarmTopicArn: topic.topicArn });
 * holdfast.grantAutomation(pipelineRole);
 */
export class Holdfast extends Construct {
  /** Base URL of the service. */
  readonly url: string;
  /** Bus with the events of the service, for events of runners and for commands. */
  readonly bus: EventBus;
  readonly stacks: HoldfastStacks;
  readonly #functions: ReadonlyMap<FunctionName, IFunction>;
  readonly #automation: IFunction;
  readonly #secrets: SecretsData;

  constructor(scope: Construct, id: string, props: HoldfastProps = {}) {
    super(scope, id);
    // The flags of the app around it would create other templates, and replace resources of an existing deployment.
    for (const [flag, value] of Object.entries(featureFlags)) this.node.setContext(flag, value);
    const settings = readSettings(props);
    const env = environmentAround(scope);
    const { data, events, api, observability } = createDeployment(this, {
      settings,
      functions: Object.fromEntries(
        [...functionNames, ...memberFunctionNames].map((name) => [
          name,
          { directory: join(folder, 'functions', name) },
        ]),
      ) as FunctionFolders,
      tracing: settings.tracing ? join(folder, 'tracing') : undefined,
      ...(env !== undefined && { env }),
    });
    rejectSecond(this);
    this.url = api.url;
    this.bus = events.eventBus;
    this.stacks = { data, events, api, observability };
    this.#functions = api.functions;
    this.#secrets = data;
    // By its name, which is fixed. A policy does not need the function to exist, and a reference to it would be circular
    // where the deployment uses a resource of the same stack, such as a certificate.
    this.#automation = Lambda.fromFunctionAttributes(api, 'AutomationByName', {
      functionArn: api.formatArn({
        service: 'lambda',
        resource: `function:${deployedName(settings, 'automation')}`,
      }),
      sameEnvironment: true,
    });
  }

  /**
   * Returns a function, for a target, a metric or a subscription. A stack that uses it is deployed after the functions.
   * @throws RangeError if the deployment does not have the function, such as `console` where it is off.
   */
  getFunction(name: FunctionName): IFunction {
    const found = this.#functions.get(name);
    if (found === undefined) throw new RangeError(`The deployment has no function ${name}`);
    return found;
  }

  /**
   * Grants the permission to send commands: to invoke the function `automation`. Commands act as a service principal of the
   * organization, whose permissions limit them.
   */
  grantAutomation(grantee: IGrantable): Grant {
    return this.#automation.grantInvokeLatestVersion(grantee);
  }

  /**
   * Grants the permission to read variables with the runner library, secrets included, of the named workspaces and variable
   * sets (RUNNER-5).
   * @throws RangeError for an empty list, an id of another form, or too many ids for a policy.
   */
  grantReadSecrets(grantee: IGrantable, readable: ReadableSecrets): Grant {
    return grantReadSecrets(grantee, this.#secrets, readable);
  }
}

/** Returns what is known of the account and the region of a stack around the scope. A stage passes on its own. */
const environmentAround = (scope: IConstruct): Environment | undefined => {
  const stack = scope.node.scopes.findLast(Stack.isStack);
  if (stack === undefined) return undefined;
  const known = (value: string) => (Token.isUnresolved(value) ? undefined : value);
  const [account, region] = [known(stack.account), known(stack.region)];
  return { ...(account !== undefined && { account }), ...(region !== undefined && { region }) };
};

/** Rejects a second deployment of the same name, which would replace stacks of the first. */
const rejectSecond = (deployment: Holdfast): void => {
  const all = deployment.node.root.node.findAll().filter(Stack.isStack);
  for (const { stackName, environment } of deployment.node.findAll().filter(Stack.isStack))
    if (all.filter((one) => one.stackName === stackName && one.environment === environment).length > 1)
      throw new RangeError(
        `${deployment.node.path}: the app already has the stack ${stackName} in ${environment}. Choose another name.`,
      );
};
