import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
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

/** The function behind a route: route -> integration -> function. */
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

/** The functions behind the API's routes. */
const routed: ReadonlySet<string> = new Set(['fallback', ...routeIds.map((id) => routes[id].function)]);

describe('routes', () => {
  test('are those of the route table, each to its function, and everything else goes to fallback', () => {
    const expected = Object.fromEntries(routeIds.map((id) => [routeKey(routes[id]), routes[id].function]));
    expect(deployedRoutes()).toEqual({ ...expected, $default: 'fallback' });
  });

  test('never lead to admin, which nothing but IAM lets anybody invoke', () => {
    expect(Object.values(deployedRoutes())).not.toContain('admin');
    const invoked = [...resourcesOf(assembly.api, 'AWS::Lambda::Permission').values()].map(
      ({ Properties }) => Properties.FunctionName['Fn::GetAtt'][0],
    );
    expect(invoked).not.toContain(functions.get('admin')?.id);
    expect(resourcesOf(assembly.api, 'AWS::Lambda::Url').size).toBe(0);
  });

  test('may be invoked by this API only, and what is on no route by rules of this stack only', () => {
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

  test('pass events in the form that the functions read', () => {
    for (const { Properties } of resourcesOf(assembly.api, 'AWS::ApiGatewayV2::Integration').values()) {
      expect(Properties).toMatchObject({ IntegrationType: 'AWS_PROXY', PayloadFormatVersion: '2.0' });
    }
  });
});

describe('functions', () => {
  afterEach(() => vi.unstubAllEnvs());

  test('are exactly those under functions/', () => {
    expect([...functions.keys()].sort()).toEqual([...functionNames].sort());
  });

  test('run on Node 24 and arm64, with traces, JSON logs and time to answer before the gateway gives up', () => {
    for (const [name, { Properties }] of functions) {
      expect(Properties, name).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
        MemorySize: name === 'list-index-snapshots' ? 3008 : 1024,
        Timeout: routed.has(name) ? 20 : expect.any(Number),
        TracingConfig: { Mode: 'Active' },
        LoggingConfig: { LogFormat: 'JSON' },
      });
    }
  });

  test('log to a group of their own that forgets', () => {
    for (const [name, { Properties }] of functions) {
      expect(assembly.api.Resources[Properties.LoggingConfig.LogGroup.Ref]?.Properties).toEqual({
        LogGroupName: `/aws/lambda/holdfast-${name}`,
        RetentionInDays: 90,
      });
    }
  });

  test.each(functionNames)('%s gets every variable that it reads at its start, and no other', (name) => {
    const given: Record<string, unknown> = functions.get(name)?.Properties.Environment?.Variables ?? {};
    for (const [variable, value] of Object.entries(given)) {
      vi.stubEnv(variable, typeof value === 'string' ? value : 'a reference');
    }
    expect(Object.keys(readEnvironment(name)).sort()).toEqual(Object.keys(given).sort());
  });

  test('do not compile when a variable is forgotten', () => {
    // @ts-expect-error: without EDITION and what may be remembered.
    const forgetful: Variables<'workspace-list'> = { TABLE_NAME: 'table' };
    expect(forgetful).not.toHaveProperty('EDITION');
  });

  test('are told the name of the table by the stack that holds it', () => {
    const { Value, Export } = Object.values(assembly.data.Outputs ?? {}).find(
      (output) => (output.Value as { Ref?: string }).Ref !== undefined,
    ) as { Value: { Ref: string }; Export: { Name: string } };
    expect(assembly.data.Resources[Value.Ref]?.Type).toBe('AWS::DynamoDB::GlobalTable');
    expect(functions.get('workspaces')?.Properties.Environment.Variables.TABLE_NAME).toEqual({
      'Fn::ImportValue': Export.Name,
    });
  });
});

describe('the gateway', () => {
  test('throttles', () => {
    expect(theOnly(assembly.api, 'AWS::ApiGatewayV2::Stage').Properties).toMatchObject({
      StageName: '$default',
      AutoDeploy: true,
      DefaultRouteSettings: { ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1000 },
    });
  });

  test('logs each request as JSON, without what credentials travel in', () => {
    const { Format } = theOnly(assembly.api, 'AWS::ApiGatewayV2::Stage').Properties.AccessLogSettings;
    expect(JSON.parse(Format)).toMatchObject({ routeKey: '$context.routeKey', status: '$context.status' });
    expect(Format).not.toMatch(/header|authorizer|querystring|cookie|userAgent/i);
  });

  test('has neither CORS nor a domain unless asked', () => {
    expect(theOnly(assembly.api, 'AWS::ApiGatewayV2::Api').Properties).not.toHaveProperty('CorsConfiguration');
    expect(resourcesOf(assembly.api, 'AWS::ApiGatewayV2::DomainName').size).toBe(0);
  });

  test('names what an operator needs in its outputs', () => {
    expect(Object.keys(assembly.api.Outputs ?? {})).toEqual(
      expect.arrayContaining(['ApiUrl', 'AdminFunctionName', 'TableName', 'SecretsKeyArn', 'AutomationFunctionName']),
    );
  });
});

test('nothing in the templates is tied to an account or a region', () => {
  const { data, events, api, observability } = assembly;
  // Hashes of assets are digits by chance.
  const text = JSON.stringify([data, events, api, observability]).replaceAll(/[0-9a-f]{32,}/g, 'hash');
  expect(text).not.toMatch(/\d{12}|[a-z]{2}-[a-z]+-\d/);
});
