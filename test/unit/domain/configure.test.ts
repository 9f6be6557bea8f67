import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import type { AgentPool, AppInstallation, VcsConnection } from '../../../shared/domain/directory/records.ts';
import { DomainError } from '../../../shared/domain/errors.ts';
import type {
  Configuration,
  ConfigurationContext,
  ConfigurationRequest,
} from '../../../shared/domain/workspace/configuration/configuration.ts';
import { configure, configureNew } from '../../../shared/domain/workspace/configuration/configure.ts';
import * as patterns from '../../../shared/domain/workspace/patterns.ts';
import { effectiveExecution } from '../../../shared/domain/workspace/workspace-record.ts';
import { defaultSettings } from '../../../shared/resources/attribute-table.ts';
import { attributes } from '../../../shared/resources/workspaces/attributes.ts';
import { bounded } from '../../support/setup/run-budget.ts';

/** Properties of a configuration after any sequence of requests. The endpoint tests cover the single rules. */

const NOW = Date.UTC(2026, 0, 31);
const POOL = 'apool-1';
const DEFAULT_POOL = 'apool-2';

const list = fc.array(fc.constantFrom('a', '**/*.tf', '/modules'), { maxLength: 2 });

const requests: fc.Arbitrary<ConfigurationRequest> = fc.record(
  {
    description: fc.constantFrom(null, '', 'text'),
    settings: fc.record({ allowDestroyPlan: fc.boolean(), autoApply: fc.boolean() }, { requiredKeys: [] }),
    assessmentsEnabled: fc.boolean(),
    autoDestroyAt: fc.constantFrom(null, NOW - 1, NOW + 1, NOW + 1e9),
    autoDestroyActivityDuration: fc.constantFrom(null, '1h', '9999d'),
    executionMode: fc.constantFrom('remote' as const, 'local' as const, 'agent' as const),
    operations: fc.boolean(),
    agentPool: fc.constantFrom(null, POOL, 'apool-unknown'),
    overwrites: fc.record({ executionMode: fc.boolean(), agentPool: fc.boolean() }, { requiredKeys: [] }),
    fileTriggersEnabled: fc.boolean(),
    globalRemoteState: fc.boolean(),
    projectRemoteState: fc.boolean(),
    infraVersion: fc.constantFrom('1.5.7', 'latest', '~> 1.5', '0.1.0', 'nonsense'),
    triggerPatterns: list,
    triggerPrefixes: list,
    sourceName: fc.constantFrom(null, 'Portal'),
    vcsRepo: fc.oneof(
      fc.constant(null),
      fc.record(
        {
          branch: fc.constantFrom(null, '', 'main'),
          identifier: fc.constantFrom('a/b', 'c/d'),
          oauthTokenId: fc.constantFrom('ot-1', 'ot-unknown', null),
          appInstallationId: fc.constantFrom('ghain-1', 'ghain-unknown', null),
          tagsRegex: fc.constantFrom(null, '', '^v', '('),
        },
        { requiredKeys: [] },
      ),
    ),
  },
  { requiredKeys: [] },
);

interface Deployment extends Pick<ConfigurationContext, 'features' | 'inherited' | 'globalRemoteState'> {
  readonly plan: ConfigurationContext['organization']['plan'];
}
const deployments: fc.Arbitrary<Deployment> = fc.record({
  features: fc.record({ healthAssessments: fc.boolean() }),
  plan: fc.constantFrom('free' as const, 'plus' as const),
  inherited: fc.constantFrom(
    { mode: 'remote' as const, agentPool: null },
    { mode: 'local' as const, agentPool: DEFAULT_POOL },
    { mode: 'agent' as const, agentPool: DEFAULT_POOL },
  ),
  globalRemoteState: fc.boolean(),
});

const configurationContextFor = (
  { features, plan, inherited, globalRemoteState }: Deployment,
  request: ConfigurationRequest,
): ConfigurationContext => ({
  features,
  organization: { plan },
  inherited,
  releases: ['0.15.3', '1.5.6', '1.5.7', '1.6.0'],
  globalRemoteState,
  now: NOW,
  patterns,
  identity: { id: 'ws-1', project: 'prj-1' },
  agentPool: request.agentPool === POOL ? ({ id: POOL } as AgentPool) : undefined,
  vcsConnection:
    request.vcsRepo?.oauthTokenId === 'ot-1'
      ? ({ id: 'ot-1', serviceProvider: 'github', httpUrl: 'https://github.com', name: 'Hub' } as VcsConnection)
      : undefined,
  appInstallation:
    request.vcsRepo?.appInstallationId === 'ghain-1'
      ? ({ id: 'ghain-1', httpUrl: 'https://github.com', name: 'App' } as AppInstallation)
      : undefined,
});

const freeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
};

/** Returns the previous configuration if the request is rejected. Other errors are thrown. */
const unlessRejected = (previous: Configuration | undefined, next: () => Configuration): Configuration | undefined => {
  try {
    return freeze(next());
  } catch (error) {
    expect(error).toBeInstanceOf(DomainError);
    expect(error).toMatchObject({ code: 'invalid-attribute', source: { pointer: expect.stringMatching(/^\/data\//) } });
    return previous;
  }
};

/** Returns the configuration of a workspace after a series of requests. Rejected requests have no effect. */
const configuredBy = (history: readonly ConfigurationRequest[], deployment: Deployment): Configuration => {
  const first = configureNew(defaultSettings(attributes), { name: 'a' }, configurationContextFor(deployment, {}));
  return history.reduce<Configuration>(
    (previous, request) =>
      unlessRejected(previous, () =>
        configure(previous, freeze(request), configurationContextFor(deployment, request)),
      ) ?? previous,
    freeze(first),
  );
};

const histories = fc.array(requests, { maxLength: 6 });

describe('the configuration after any requests', () => {
  test.prop([histories, deployments], bounded(400))('is valid as a request', (history, deployment) => {
    const { settings, overwrites, text, vcsRepo } = configuredBy(history, deployment);
    const { mode, agentPool } = effectiveExecution({ settings, overwrites }, deployment.inherited);

    // An own mode is stored exactly where the workspace keeps it, and a pool in agent mode only.
    expect(settings.executionMode !== null).toBe(overwrites.executionMode);
    if (settings.agentPool !== null) expect(mode).toBe('agent');
    if (settings.executionMode === 'agent') expect(settings.agentPool).not.toBeNull();
    if (settings.executionMode === null && !overwrites.agentPool) expect(settings.agentPool).toBeNull();
    expect(agentPool !== null).toBe(mode === 'agent');

    expect(settings.globalRemoteState && settings.projectRemoteState).toBe(false);
    expect(Math.min(text.triggerPatterns.length, text.triggerPrefixes.length)).toBe(0);
    if (vcsRepo?.tagsRegex) expect(text.triggerPatterns.length + text.triggerPrefixes.length).toBe(0);
    if (vcsRepo !== null) {
      expect([vcsRepo.oauthTokenId, vcsRepo.appInstallationId].filter((id) => id !== null)).toHaveLength(1);
      expect(vcsRepo.identifier).toMatch(/^\w\/\w$/);
    }
    expect(['1.5.7', '1.6.0', 'latest', '~> 1.5', '0.1.0']).toContain(settings.infraVersion);
    if (settings.inheritsProjectAutoDestroy) expect(settings.autoDestroyAt).toBeNull();
    expect(settings.sourceName).toBeNull();
    if (!deployment.features.healthAssessments || deployment.plan !== 'plus')
      expect(settings.assessmentsEnabled).toBe(false);
  });

  test.prop([histories, deployments], bounded(100))('does not change with an empty request', (history, deployment) => {
    const before = configuredBy(history, deployment);
    expect(configure(before, {}, configurationContextFor(deployment, {}))).toEqual(before);
  });

  test.prop([histories, requests, deployments], bounded(200))(
    'is the same after a repeated request',
    (history, request, deployment) => {
      const once = configuredBy([...history, request], deployment);
      expect(configuredBy([...history, request, request], deployment)).toEqual(once);
    },
  );

  test.prop([requests, deployments], bounded(200))(
    'is the same whether a request comes at creation or right after it',
    (request, deployment) => {
      // The default of `global-remote-state` gives way to `project-remote-state` at creation only.
      const { sourceName: _, ...given } = request;
      const asked = { ...given, globalRemoteState: given.globalRemoteState ?? false };
      const created = unlessRejected(undefined, () =>
        configureNew(defaultSettings(attributes), { name: 'a', ...asked }, configurationContextFor(deployment, asked)),
      );
      if (created !== undefined) expect(configuredBy([asked], deployment)).toEqual(created);
    },
  );

  test.prop([histories, deployments], bounded(100))('keeps attributes that a request omits', (history, deployment) => {
    const before = configuredBy(history, deployment);
    const changed = configure(before, { settings: { queueAllRuns: true } }, configurationContextFor(deployment, {}));
    expect(changed).toEqual({ ...before, settings: { ...before.settings, queueAllRuns: true } });
  });
});
