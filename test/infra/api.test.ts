import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { consolePaths } from '../../shared/routes/console.ts';
import { routeIds, routeKey, routes } from '../../shared/routes/index.ts';
import { functionNames, readEnvironment, type Variables } from '../../shared/runtime/environment.ts';
import {
  type Assembly,
  assemble,
  functionsOf,
  type Resource,
  resourcesOf,
  theOnly,
} from '../support/local/assembly.ts';

let assembly: Assembly;
let functions: ReturnType<typeof functionsOf>;
beforeAll(async () => {
  assembly = await assemble();
  functions = functionsOf(assembly.api);
});

/** Finds the function of a route: route -> integration -> function. */
const functionBehind = (route: Resource): string | undefined => {
  const integration = assembly.api.Resources[route.Properties.Target['Fn::Join'][1][1].Ref];
  const target = integration?.Properties.IntegrationUri['Fn::GetAtt'][0];
  return [...functions].find(([, { id }]) => id === target)?.[0];
};
const deployedRoutes = () =>
  Object.fromEntries(
    [...resourcesOf(assembly.api, 'AWS::ApiGatewayV2::Route').values()].map((route) => [
      route.Properties.RouteKey,
      functionBehind(route),
    ]),
  );

/** The functions with a route. */
const routed: ReadonlySet<string> = new Set(['fallback', 'console', ...routeIds.map((id) => routes[id].function)]);

describe('routes of the API', () => {
  test('are those of the route table and of the console, and all other requests are passed to fallback', () => {
    const expected = Object.fromEntries(routeIds.map((id) => [routeKey(routes[id]), routes[id].function]));
    const ofConsole = Object.fromEntries(consolePaths.map((path) => [`GET ${path}`, 'console']));
    expect(deployedRoutes()).toEqual({ ...expected, ...ofConsole, $default: 'fallback' });
  });

  test('lead to fallback during maintenance, and nothing else changes the table', async () => {
    const { api } = await assemble({ maintenance: true });
    const idOf = (name: string) => functionsOf(api).get(name)?.id;
    const targets = [...resourcesOf(api, 'AWS::ApiGatewayV2::Integration').values()].map(
      ({ Properties }) => Properties.IntegrationUri['Fn::GetAtt'][0],
    );
    expect(targets).toEqual([idOf('fallback')]);
    expect(resourcesOf(api, 'AWS::ApiGatewayV2::Route').size).toBe(routeIds.length + 1);
    const propertiesOf = (name: string) => functionsOf(api).get(name)?.Properties;
    // A function that maintenance removed would lose its log, and its export if another stack uses it.
    expect([...functionsOf(api).keys()].sort()).toEqual([...functions.keys()].sort());
    expect(propertiesOf('fallback').Environment.Variables.MAINTENANCE).toBe('true');
    for (const name of ['automation', 'ingest', 'state-content'])
      expect(propertiesOf(name).ReservedConcurrentExecutions, name).toBe(0);
    const schedules = [...resourcesOf(api, 'AWS::Events::Rule').values()].filter(
      ({ Properties }) => 'ScheduleExpression' in Properties,
    );
    expect(schedules.map(({ Properties }) => Properties.State)).toEqual(['DISABLED', 'DISABLED']);
  });

  test('do not include the function admin, which can be invoked with IAM permissions only', () => {
    expect(Object.values(deployedRoutes())).not.toContain('admin');
    const invoked = [...resourcesOf(assembly.api, 'AWS::Lambda::Permission').values()].map(
      ({ Properties }) => Properties.FunctionName['Fn::GetAtt'][0],
    );
    expect(invoked).not.toContain(functions.get('admin')?.id);
    expect(resourcesOf(assembly.api, 'AWS::Lambda::Url').size).toBe(0);
  });

  test('allow only this API to invoke their functions, and only rules of this stack to invoke other functions', () => {
    for (const { Properties } of resourcesOf(assembly.api, 'AWS::Lambda::Permission').values()) {
      const [target] = Properties.FunctionName['Fn::GetAtt'];
      if ([...functions].some(([name, { id }]) => id === target && !routed.has(name))) {
        expect(Properties.Principal).toBe('events.amazonaws.com');
        expect(assembly.api.Resources[Properties.SourceArn['Fn::GetAtt'][0]]?.Type).toBe('AWS::Events::Rule');
        continue;
      }
      expect(Properties.Principal).toBe('apigateway.amazonaws.com');
      expect(JSON.stringify(Properties.SourceArn)).toMatch(/\{"Ref":"Api\w+"\},"\/\*\/\*/);
    }
  });

  test('pass events in payload format 2.0', () => {
    for (const { Properties } of resourcesOf(assembly.api, 'AWS::ApiGatewayV2::Integration').values()) {
      expect(Properties).toMatchObject({ IntegrationType: 'AWS_PROXY', PayloadFormatVersion: '2.0' });
    }
  });
});

describe('deployed functions', () => {
  afterEach(() => vi.unstubAllEnvs());

  test('are exactly the folders of functions/', () => {
    expect([...functions.keys()].sort()).toEqual([...functionNames].sort());
  });

  test('run on Node 24 and arm64, with JSON logs and a timeout below that of API Gateway', () => {
    for (const [name, { Properties }] of functions) {
      expect(Properties, name).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
        MemorySize: name === 'list-index-snapshots' ? 3008 : 1024,
        Timeout: routed.has(name) ? 20 : expect.any(Number),
        LoggingConfig: { LogFormat: 'JSON' },
      });
    }
  });

  test('each have a log group with a retention period', () => {
    for (const [name, { Properties }] of functions) {
      expect(assembly.api.Resources[Properties.LoggingConfig.LogGroup.Ref]?.Properties).toEqual({
        LogGroupName: `/aws/lambda/holdfast-${name}`,
        RetentionInDays: 90,
      });
    }
  });

  test.each(functionNames)('%s has exactly the environment variables that it reads', (name) => {
    const variables: Record<string, unknown> = functions.get(name)?.Properties.Environment?.Variables ?? {};
    for (const [variable, value] of Object.entries(variables)) {
      vi.stubEnv(variable, typeof value === 'string' ? value : 'https://a-reference.example');
    }
    expect(Object.keys(readEnvironment(name)).sort()).toEqual(Object.keys(variables).sort());
  });

  test('cause a type error when a variable is missing', () => {
    // @ts-expect-error: EDITION and other variables are missing.
    const incomplete: Variables<'workspace-list'> = { TABLE_NAME: 'table' };
    expect(incomplete).not.toHaveProperty('EDITION');
  });

  test('import the name of the table from the data stack', () => {
    const { Value, Export } = Object.values(assembly.data.Outputs ?? {}).find(
      (output) => (output.Value as { Ref?: string }).Ref !== undefined,
    ) as { Value: { Ref: string }; Export: { Name: string } };
    expect(assembly.data.Resources[Value.Ref]?.Type).toBe('AWS::DynamoDB::GlobalTable');
    expect(functions.get('workspaces')?.Properties.Environment.Variables.TABLE_NAME).toEqual({
      'Fn::ImportValue': Export.Name,
    });
  });
});

describe('API Gateway', () => {
  test('throttles requests', () => {
    expect(theOnly(assembly.api, 'AWS::ApiGatewayV2::Stage').Properties).toMatchObject({
      StageName: '$default',
      AutoDeploy: true,
      DefaultRouteSettings: { ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1000 },
    });
  });

  test('logs requests as JSON without headers, cookies and query strings, which may contain credentials', () => {
    const { Format } = theOnly(assembly.api, 'AWS::ApiGatewayV2::Stage').Properties.AccessLogSettings;
    expect(JSON.parse(Format)).toMatchObject({ routeKey: '$context.routeKey', status: '$context.status' });
    expect(Format).not.toMatch(/header|authorizer|querystring|cookie|userAgent/i);
  });

  test('logs the status that the function returned, not the status of its invocation', () => {
    const { Format } = theOnly(assembly.api, 'AWS::ApiGatewayV2::Stage').Properties.AccessLogSettings;
    expect(JSON.parse(Format).functionStatus).toBe('$context.integration.status');
    expect(Format).not.toContain('integrationStatus');
  });

  test.each([
    ['a successful request', { 'context.status': '200', 'context.integration.status': '200' }],
    [
      'an error of the gateway',
      { 'context.status': '429', 'context.error.message': 'Too Many Requests', 'context.error.messageString': '"Too"' },
    ],
    ['a value that does not exist', {}],
  ])('logs valid JSON for %s', (_, values: Readonly<Record<string, string>>) => {
    const { Format } = theOnly(assembly.api, 'AWS::ApiGatewayV2::Stage').Properties.AccessLogSettings;
    const line = Format.replaceAll(/\$([\w.]+)/g, (_whole: string, name: string) => values[name] ?? '-');
    const { gatewayError, status } = JSON.parse(line);
    expect({ gatewayError, status }).toEqual({
      gatewayError: values['context.error.message'] ?? '-',
      status: values['context.status'] ?? '-',
    });
  });

  test('deploys its stage after all routes', () => {
    const { DependsOn = [] } = theOnly(assembly.api, 'AWS::ApiGatewayV2::Stage') as { DependsOn?: string[] };
    const routeResources = [...resourcesOf(assembly.api, 'AWS::ApiGatewayV2::Route').keys()];
    expect(DependsOn).toEqual(expect.arrayContaining(routeResources));
  });

  test('does not retry scheduled functions', () => {
    const attempts = [...resourcesOf(assembly.api, 'AWS::Lambda::EventInvokeConfig').values()].flatMap(
      ({ Properties: { FunctionName, MaximumRetryAttempts } }) =>
        ['cleanup', 'state-retention'].some((name) => functions.get(name)?.id === FunctionName.Ref)
          ? [MaximumRetryAttempts]
          : [],
    );
    expect(attempts).toEqual([0, 0]);
  });

  test('has neither CORS nor a custom domain by default', () => {
    expect(theOnly(assembly.api, 'AWS::ApiGatewayV2::Api').Properties).not.toHaveProperty('CorsConfiguration');
    expect(resourcesOf(assembly.api, 'AWS::ApiGatewayV2::DomainName').size).toBe(0);
  });
});

test('templates contain no account id and no region', () => {
  const { data, events, api, observability } = assembly;
  // Hashes of assets may contain twelve digits by chance.
  const text = JSON.stringify([data, events, api, observability]).replaceAll(/[0-9a-f]{32,}/g, 'hash');
  expect(text).not.toMatch(/\d{12}|[a-z]{2}-[a-z]+-\d/);
});
